package proc

// maxAncestors bounds how many parents are read.
const maxAncestors = 64
