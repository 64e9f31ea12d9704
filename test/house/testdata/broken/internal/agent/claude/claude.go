package claude

const Name = 1
