import { connect, type Socket } from 'node:net'
import Type, { type Static } from 'typebox'
import { sleep } from '../../../concurrency/loops/sleep.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { BrowserError } from '../browser-error.ts'
import type { LauncherAsk } from './browser-launcher.ts'
import { type ChromiumProcess, HEAP_FULL, HEAP_FULL_LENGTH } from './chromium-process.ts'
import type { ProcessUsage } from './process-usage.ts'
import { readLines } from './socket-lines.ts'

const Usage = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  megabytes: Type.Number(),
  cpuSeconds: Type.Number(),
  threads: Type.Integer(),
  showsPages: Type.Boolean(),
})
/** What a launcher says. A page may have taken it over, so that it is untrusted. */
const Said = Type.Object({
  started: Type.Optional(Type.Object({ pid: Type.Integer({ minimum: 1 }), channel: Type.String({ maxLength: 36 }) })),
  failed: Type.Optional(Type.String({ maxLength: 10_000 })),
  output: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  usage: Type.Optional(Type.Array(Usage, { maxItems: 10_000 })),
})

const KEPT_OUTPUT = 8_192
const ANSWER_MS = 2_000
/** The launcher of a pod may start a little later than the runner. */
const CONNECT_MS = 15_000
const CONNECT_PAUSE_MS = 200

/** Starts a Chromium by the launcher at `socket`. It ends with the connection. Throws a `BrowserError`. */
export async function launchChromium(
  socket: string,
  start: NonNullable<LauncherAsk['start']>,
): Promise<ChromiumProcess> {
  const control = await connected(socket)
  const state = { output: '', heapFullAt: -Infinity, usage: [] as readonly Static<typeof Usage>[] }
  const started = Promise.withResolvers<{ readonly pid: number; readonly channel: string }>()
  let answered = () => {}
  const ended = new Promise<void>((resolve) => control.once('close', () => resolve()))
  void ended.then(() => {
    started.reject(new BrowserError(`The launcher of browsers ended the connection. ${state.output.slice(-300)}`))
    answered()
  })
  readLines(control, (line) => {
    const said = saidIn(line)
    if (said === null) return void control.destroy()
    if (said.started) started.resolve(said.started)
    if (said.failed !== undefined) started.reject(new BrowserError(said.failed))
    if (said.output !== undefined) {
      if (HEAP_FULL.test(state.output.slice(-HEAP_FULL_LENGTH) + said.output)) state.heapFullAt = performance.now()
      state.output = (state.output + said.output).slice(-KEPT_OUTPUT)
    }
    if (!said.usage) return
    state.usage = said.usage
    answered()
  })
  const ask = (what: LauncherAsk) => void (control.writable && control.write(`${JSON.stringify(what)}\n`))
  ask({ start })
  const { pid, channel } = await started.promise
  const data = await connected(socket)
  data.write(`${channel}\n`)
  data.once('close', () => control.destroy())
  return {
    pid,
    toBrowser: data,
    fromBrowser: data,
    ended: ended.then(() => void data.destroy()),
    output: () => state.output,
    heapFullAt: () => state.heapFullAt,
    async usage(): Promise<readonly ProcessUsage[]> {
      const answer = new Promise<void>((resolve) => (answered = resolve))
      ask({ usage: true })
      await Promise.race([answer, sleep(ANSWER_MS)])
      return state.usage
    },
    showsPages: async (of) => state.usage.some((one) => one.pid === of && one.showsPages),
    killOne: (of) => ask({ kill: of }),
    kill: () => control.destroy(),
  }
}

function saidIn(line: string): Static<typeof Said> | null {
  try {
    const read = checkerOf(Said).validate(JSON.parse(line))
    return read.ok ? read.value : null
  } catch {
    return null
  }
}

/** Returns a connection to the launcher. Throws a `BrowserError` when there is none for too long. */
async function connected(path: string): Promise<Socket> {
  const until = performance.now() + CONNECT_MS
  for (;;) {
    const socket = connect(path)
    const fault = await new Promise<Error | null>((resolve) => {
      socket.once('connect', () => resolve(null))
      socket.once('error', resolve)
    })
    // What goes wrong later ends the connection.
    socket.on('error', () => socket.destroy())
    if (fault === null) return socket
    if (performance.now() > until)
      throw new BrowserError(
        `No launcher of browsers answers at ${path} (TIDEMARK_BROWSER_SOCKET): ${fault.message}. ` +
          `"tidemark browser" is one.`,
      )
    await sleep(CONNECT_PAUSE_MS)
  }
}
