// Gauntlet for OpenCode. Written by `gauntlet install`, removed by `gauntlet uninstall`.
// When a session falls idle, the stop is judged; a verdict that blocks becomes the next prompt.
// Whatever goes wrong here lets the session rest.
import { spawn } from "node:child_process"

const TIMEOUT_MS = 300000

function judge(payload, cwd) {
  return new Promise((resolve) => {
    let out = ""
    let child
    try {
      child = spawn("gauntlet", ["stop-hook", "--agent", "opencode"], { cwd, stdio: ["pipe", "pipe", "ignore"] })
    } catch {
      return resolve(null)
    }
    const timer = setTimeout(() => child.kill("SIGTERM"), TIMEOUT_MS)
    child.on("error", () => { clearTimeout(timer); resolve(null) })
    child.stdout.on("data", (chunk) => { out += chunk })
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(out))
      } catch {
        resolve(null)
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

const textOf = (message) => (message?.parts ?? []).filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")

export const Gauntlet = async ({ client, directory }) => {
  const ours = new Map() // session id -> the prompt we sent last
  const busy = new Set() // sessions being judged

  return {
    event: async ({ event }) => {
      if (event?.type !== "session.idle") return
      const id = event.properties?.sessionID
      if (!id || busy.has(id)) return
      busy.add(id)
      try {
        const session = (await client.session.get({ path: { id } }))?.data
        if (!session || session.parentID) return // a sub-agent's session
        const messages = (await client.session.messages({ path: { id } }))?.data ?? []
        const users = messages.filter((m) => m.info?.role === "user")
        const last = messages.at(-1)
        if (last?.info?.error) return // aborted or failed: nobody is sent on
        const human = users.filter((m) => !textOf(m).startsWith("Gauntlet: ")).at(-1)
        const continuing = users.at(-1) !== undefined && users.at(-1) !== human
        const verdict = await judge({
          agent: "opencode",
          hook_event_name: "Stop",
          session_id: id,
          turn_id: human?.info?.id ?? "",
          cwd: session.directory ?? directory,
          stop_hook_active: continuing,
          last_assistant_message: last?.info?.role === "assistant" ? textOf(last) : "",
        }, session.directory ?? directory)
        if (verdict?.systemMessage) {
          // For the person; where there is no screen to show it on, nobody is disturbed.
          void client.tui?.showToast?.({ body: { message: verdict.systemMessage, variant: "warning" } })?.catch?.(() => {})
        }
        if (verdict?.decision !== "block" || !verdict.reason) return
        if (continuing && ours.get(id) === verdict.reason) return // said already, and nothing came of it
        ours.set(id, verdict.reason)
        // Not awaited: it ends with the next answer, whose idle event must find us ready.
        void client.session.prompt({ path: { id }, body: { parts: [{ type: "text", text: "Gauntlet: " + verdict.reason }] } }).catch(() => {})
      } catch {
        // never wedge a session
      } finally {
        busy.delete(id)
      }
    },
  }
}
