// Finds the program in the package of this platform.
"use strict"
const names = { "darwin arm64": 1, "darwin x64": 1, "linux arm64": 1, "linux x64": 1, "win32 arm64": 1, "win32 x64": 1 }

exports.program = () => {
  const platform = process.platform + " " + process.arch
  if (!names[platform]) throw new Error("there is no package for " + platform)
  const name = "@SCOPE@/gauntlet-" + platform.replace(" ", "-")
  try {
    return require.resolve(name + "/bin/gauntlet" + (process.platform === "win32" ? ".exe" : ""))
  } catch {
    throw new Error(name + " is not installed; install without --omit=optional")
  }
}
