// Gauntlet for OpenCode. Written by `gauntlet install`, removed by `gauntlet uninstall`.
// When the agent has finished, the stop is judged; a verdict that blocks becomes the next prompt.
// Whatever goes wrong here lets the session rest.
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"

const STOP_MS = 300000 // above the deadline at which the gauntlet stops itself
const HOOK_MS = 30000
const OURS = "Gauntlet: " // how every prompt that we send begins

// env: OpenCode may have been started without a login shell, so the usual places follow PATH.
const env = () => process.platform === "win32" ? process.env : ({
  ...process.env, PATH: [process.env.PATH, ...[".local/bin", "go/bin", ".npm-global/bin"].map((d) => join(homedir(), d)), "/opt/homebrew/bin", "/usr/local/bin"].join(":"),
})

// call runs one hook of the gauntlet and resolves to what it printed; "" for any trouble.
function call(args, payload, cwd, limit, running) {
  return new Promise((resolve) => {
    let out = ""
    let child
    try {
      child = spawn("gauntlet", [...args, "--agent", "opencode"], { cwd, env: env(), stdio: ["pipe", "pipe", "ignore"] })
    } catch {
      return resolve("")
    }
    running.add(child)
    const timer = setTimeout(() => child.kill("SIGTERM"), limit)
    const end = (text) => { clearTimeout(timer); running.delete(child); resolve(text) }
    child.on("error", () => end(""))
    child.stdout.on("data", (chunk) => { out += chunk })
    child.on("close", () => end(out))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ agent: "opencode", cwd, ...payload }))
  })
}

const textOf = (parts) => (parts ?? []).filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
const isOurs = (message) => textOf(message.parts).startsWith(OURS)

// deniesEdits: the agent may not edit, by the last of its rules that speaks of it.
function deniesEdits(agent) {
  const rules = agent?.permission
  if (!Array.isArray(rules)) return rules?.edit === "deny"
  return rules.findLast((r) => (r.permission === "edit" || r.permission === "*") && r.pattern === "*")?.action === "deny"
}

// `opencode run` ends at the first idle session: what we ask of it then makes it load us a second time. Both
// share what they know, so that each stop is judged once and each waits for the other.
const shared = (globalThis[Symbol.for("gauntlet.opencode")] ??= {
  judged: new Map(), // session id -> the answer that was judged last
  pending: new Set(), // judgements and answers under way
  running: new Set(), // processes that this plugin started
  contexts: new Map(), // session id -> the context of a fresh session
})
const { judged, pending, running, contexts } = shared
const stopAll = () => running.forEach((child) => child.kill("SIGTERM"))
if (!shared.watched) {
  shared.watched = true
  process.on("exit", stopAll)
}

export const Gauntlet = async ({ client, directory }) => {
  const track = (promise) => {
    const kept = promise.catch(() => {}).finally(() => pending.delete(kept))
    pending.add(kept)
    return kept
  }

  const sessionOf = async (id) => (await client.session.get({ path: { id } }))?.data
  const messagesOf = async (id) => (await client.session.messages({ path: { id } }))?.data ?? []

  // transcript writes the conversation, sub-agents of this turn included, where the gauntlet can read it.
  const transcript = async (messages, human) => {
    const lines = []
    const start = messages.indexOf(human)
    for (const [i, message] of messages.entries()) {
      lines.push(JSON.stringify(message))
      for (const part of i > start ? (message.parts ?? []) : []) {
        const child = part.tool === "task" ? part.state?.metadata?.sessionId : undefined
        if (child) lines.push(...(await messagesOf(child)).map((m) => JSON.stringify({ subagent: child, ...m })))
      }
    }
    const dir = await mkdtemp(join(tmpdir(), "gauntlet-opencode-"))
    const file = join(dir, "messages.jsonl")
    await writeFile(file, lines.join("\n") + "\n", { mode: 0o600 })
    return { file, remove: () => rm(dir, { recursive: true, force: true }).catch(() => {}) }
  }

  const isPlanning = async (name) => {
    if (name === "plan") return true
    const agents = (await client.app.agents().catch(() => null))?.data ?? []
    return deniesEdits(agents.find((a) => a.name === name))
  }

  const judge = async (id) => {
    const session = await sessionOf(id)
    if (!session || session.parentID) return // a sub-agent's session
    const messages = await messagesOf(id)
    const last = messages.at(-1)
    // Only a finished answer is a stop: a person who interrupts it, or refuses a tool, wants it to rest.
    if (last?.info?.role !== "assistant" || last.info.error || !last.info.finish || last.info.finish === "tool-calls") return
    if (judged.get(id) === last.info.id) return
    judged.set(id, last.info.id)
    const users = messages.filter((m) => m.info?.role === "user" && textOf(m.parts) !== "")
    const human = users.filter((m) => !isOurs(m)).at(-1)
    const said = users.at(-1)
    const cwd = session.directory ?? directory
    const conversation = await transcript(messages, human)
    let verdict
    try {
      verdict = JSON.parse(await call(["stop-hook"], {
        hook_event_name: "Stop",
        session_id: id,
        turn_id: human?.info?.id ?? "",
        transcript_path: conversation.file,
        permission_mode: (await isPlanning(said?.info?.agent)) ? "plan" : "default",
        stop_hook_active: said !== undefined && said !== human,
        last_assistant_message: textOf(last.parts),
      }, cwd, STOP_MS, running))
    } catch {
      return
    } finally {
      await conversation.remove()
    }
    if (verdict.systemMessage) tell(verdict.systemMessage)
    if (verdict.decision !== "block" || !verdict.reason) return
    if ((await messagesOf(id)).at(-1)?.info?.id !== last.info.id) return // the session went on meanwhile
    // Not awaited here: it ends with the next answer, whose idle event must find us ready.
    const { agent, model } = said?.info ?? {}
    track(client.session.prompt({ path: { id }, body: { agent, model, parts: [{ type: "text", text: OURS + verdict.reason }] } }))
  }

  // tell shows a message to the person: on the screen, or where there is none on stderr.
  const tell = (message) => {
    if (process.argv.includes("run")) process.stderr.write(message + "\n")
    else void client.tui?.showToast?.({ body: { message, variant: "warning" } })?.catch?.(() => {})
  }

  return {
    event: async ({ event }) => {
      const id = event?.type === "session.idle" ? event.properties?.sessionID : undefined
      if (id) await track(judge(id))
    },

    "chat.message": async ({ sessionID }, { message, parts }) => {
      try {
        if (isOurs({ parts }) || (await sessionOf(sessionID))?.parentID) return
        await call(["hook", "prompt"], {
          hook_event_name: "UserPromptSubmit", session_id: sessionID, turn_id: message?.id ?? "", prompt: textOf(parts),
        }, directory, HOOK_MS, running)
      } catch {
        // a prompt goes through, whatever happened here
      }
    },

    "experimental.chat.system.transform": async (input, output) => {
      try {
        const id = input?.sessionID
        if (!id) return
        if (!contexts.has(id)) {
          contexts.set(id, (await sessionOf(id))?.parentID ? "" : (await call(["hook", "session-start"], { hook_event_name: "SessionStart", session_id: id }, directory, HOOK_MS, running)).trim())
        }
        if (contexts.get(id)) output.system.push(contexts.get(id))
      } catch {
        // the model can do without
      }
    },

    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (tool !== "bash") return
      await call(["hook", "tool"], {
        hook_event_name: "PreToolUse", session_id: sessionID, tool_name: tool, tool_use_id: callID, tool_input: args,
      }, directory, HOOK_MS, running)
    },

    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      if (tool !== "bash") return
      await call(["hook", "tool"], {
        hook_event_name: "PostToolUse", session_id: sessionID, tool_name: tool, tool_use_id: callID, tool_input: args,
        exit_code: output?.metadata?.exit ?? null,
      }, directory, HOOK_MS, running)
    },

    // `opencode run` ends at the first idle session and waits for this: a judgement, and the answer to a
    // block, get their time. Nothing is left running.
    dispose: async () => {
      const end = Date.now() + STOP_MS
      while (pending.size && Date.now() < end) {
        await Promise.race([...pending, new Promise((done) => setTimeout(done, 1000))])
        await new Promise((done) => setTimeout(done, 100)) // the next idle event comes right after an answer
      }
      stopAll()
    },
  }
}
