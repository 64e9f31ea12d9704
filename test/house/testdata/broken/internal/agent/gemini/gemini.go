package gemini

const Name = 2
