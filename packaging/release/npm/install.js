// Puts the program itself in the place of the small script that npm links, so
// that a hook never pays for starting Node. Whatever fails leaves the script,
// which does the same, only slower.
"use strict"
const fs = require("node:fs")
const path = require("node:path")
const { program } = require("./bin/find.js")

if (process.platform !== "win32" && !/yarn/.test(process.env.npm_config_user_agent ?? "")) {
  const place = path.join(__dirname, "bin", "gauntlet")
  const next = place + ".new"
  try {
    const found = program()
    fs.rmSync(next, { force: true })
    try {
      fs.linkSync(found, next)
    } catch {
      fs.copyFileSync(found, next)
    }
    fs.chmodSync(next, 0o755)
    fs.renameSync(next, place)
  } catch (err) {
    fs.rmSync(next, { force: true })
    console.warn("gauntlet: it will be started through Node: " + err.message)
  }
}
