#!/usr/bin/env node
// Starts the program where it could not be put in this place (Windows, Yarn,
// --ignore-scripts). Its exit code and its signals are passed on.
"use strict"
const { spawnSync } = require("node:child_process")
const { program } = require("./find.js")

let found
try {
  found = program()
} catch (err) {
  console.error("gauntlet: " + err.message)
  process.exit(2)
}
const result = spawnSync(found, process.argv.slice(2), { stdio: "inherit" })
if (result.error) {
  console.error("gauntlet: " + result.error.message)
  process.exit(2)
}
if (result.signal) process.kill(process.pid, result.signal)
process.exit(result.status ?? 2)
