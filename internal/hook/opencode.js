// The plugin by which opencode asks a2a-acp before each tool, and tells it what came of it. See opencode.go.
import { connect } from "node:net"

// exchange says something to the bridge, and returns its answer, however long a person takes for it.
const exchange = (socket, told) =>
  new Promise((resolve, reject) => {
    const connection = connect(socket)
    let heard = ""
    connection.setEncoding("utf8")
    connection.on("connect", () => connection.write(JSON.stringify(told) + "\n"))
    connection.on("data", (text) => (heard += text))
    connection.on("error", reject)
    connection.on("close", () => {
      if (!heard.endsWith("\n")) return reject(new Error("it ended before it answered"))
      try {
        resolve(JSON.parse(heard))
      } catch (error) {
        reject(error)
      }
    })
  })

export default async ({ client, directory }, { socket, net }) => {
  const above = new Map() // of a session the one above it

  // sessions returns a session and those above it: an agent below another has one of its own.
  const sessions = async (id) => {
    const list = []
    while (id && !list.includes(id)) {
      list.push(id)
      if (!above.has(id)) above.set(id, (await client.session.get({ path: { id } })).data?.parentID)
      id = above.get(id)
    }
    return list
  }
  const allowed = new Map() // of a call the very input that its tool gets
  const tell = async (told) => exchange(socket, told).catch(() => {}) // nothing waits for it

  // settle has opencode not ask once more about what a person wants to be asked about: that is decided here. What is denied
  // stays so.
  const settle = (rules) => {
    for (const [name, rule] of Object.entries(rules ?? {})) {
      if (rule === "ask") rules[name] = "allow"
      else if (typeof rule === "object") settle(rule)
    }
  }

  return {
    config: async (config) => {
      delete config.permission?.[net] // the net under this plugin: where it is not loaded, opencode asks about everything
      settle(config.permission)
      for (const agent of Object.values(config.agent ?? {})) settle(agent?.permission)
    },
    "tool.execute.before": async (input, output) => {
      let answer
      try {
        answer = await exchange(socket, {
          moment: "before", tool: input.tool, call: input.callID, sessions: await sessions(input.sessionID), dir: directory,
          input: output.args ?? {},
        })
      } catch (error) {
        throw new Error(`a2a-acp could not decide about this, so it is not allowed: ${error.message}`)
      }
      if (answer.allow !== true) throw new Error(answer.reason || "a2a-acp did not allow it")
      if (answer.input) Object.assign(output.args, answer.input)
      allowed.set(input.callID, output.args ?? {})
    },
    "tool.execute.after": async (input, output) => {
      await tell({
        moment: "after", tool: input.tool, call: input.callID, sessions: await sessions(input.sessionID), dir: directory,
        input: allowed.get(input.callID) ?? {}, exit: output?.metadata?.exit, failed: output?.isError === true,
      })
      allowed.delete(input.callID)
    },
    event: async ({ event }) => {
      const about = event.properties
      const part = about?.part
      if (event.type === "message.part.updated" && part?.type === "tool" && part.state.status === "error" && allowed.has(part.callID)) {
        await tell({
          moment: "after", tool: part.tool, call: part.callID, sessions: await sessions(part.sessionID), dir: directory,
          input: allowed.get(part.callID), failed: true, error: part.state.error,
        })
        allowed.delete(part.callID)
      }
      // Nobody else answers what an agent below another asks: opencode puts only what its own sessions ask to the editor.
      if (event.type === "permission.asked" && allowed.has(about.tool?.callID) && (await sessions(about.sessionID)).length > 1) {
        await client.postSessionIdPermissionsPermissionId({
          path: { id: about.sessionID, permissionID: about.id }, body: { response: "once" },
        })
      }
    },
  }
}
