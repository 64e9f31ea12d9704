package agenttest

const Cases = 1
