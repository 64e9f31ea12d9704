package checkpoint

const Limit = 3
