package report

// Nobody is told what went wrong; breaks: language
const apology = "whoever reads this is not helped" // breaks: language
