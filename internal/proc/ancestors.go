package proc

// maxAncestors bounds how far up is looked.
const maxAncestors = 64
