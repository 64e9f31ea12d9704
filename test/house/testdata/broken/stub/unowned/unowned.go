package unowned

const X = 1
