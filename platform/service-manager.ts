import { runProgram } from './run-program.ts'

/** What systemd is told of this process (sd_notify(3)). Nothing ever rejects: a message that is lost harms nothing. */
export interface ServiceManager {
  /** It has started, or has been reloaded. `status` is for a person: "Ready at http://…". */
  ready(status: string): Promise<void>
  /** It reads its configuration again; `ready` says the end of that. */
  reloading(): Promise<void>
  /** It ends. */
  stopping(): Promise<void>
  /** It works. Where this is not said in time, systemd ends it and starts it again. */
  alive(): Promise<void>
}

interface ServiceManagerOptions {
  /** NOTIFY_SOCKET; undefined or empty: nobody listens, and nothing is done. */
  readonly socket: string | undefined
  /** Called once with why nothing reaches systemd. */
  readonly onFault: (why: string) => void
  /** Default: `systemd-notify` of the path. */
  readonly program?: string
}

const NOBODY: ServiceManager = {
  ready: async () => {},
  reloading: async () => {},
  stopping: async () => {},
  alive: async () => {},
}

/**
 * Returns what tells systemd about this process. Node has no datagram sockets of the file system, so each message is
 * sent by the program `systemd-notify`, which comes with systemd. It waits until systemd has read the message:
 * otherwise systemd could not tell any more which unit the sender belonged to. Messages are sent in their order.
 */
export function createServiceManager({ socket, onFault, program = 'systemd-notify' }: ServiceManagerOptions) {
  if (socket === undefined || socket === '') return NOBODY
  let last: Promise<void> = Promise.resolve()
  let isReported = false
  let isStopping = false
  async function send(assignments: readonly string[]): Promise<void> {
    // The process may be below a shell or npm.
    const args = [`--pid=${process.pid}`, ...assignments]
    const { ok, output } = await runProgram({ program, args, user: null, environment: { NOTIFY_SOCKET: socket ?? '' } })
    if (ok || isReported) return
    isReported = true
    onFault(output.trim())
  }
  const told = (...assignments: string[]): Promise<void> => {
    // A message that could not be sent must not keep back the next one.
    if (!isStopping) last = last.then(() => send(assignments)).catch(() => {})
    return last
  }
  const manager: ServiceManager = {
    ready: (status) => told('READY=1', statusOf(status)),
    // A unit of the type notify-reload compares this time with that of its signal.
    reloading: () => told('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1_000n}`, statusOf('Reloading')),
    stopping() {
      const sent = told('STOPPING=1', statusOf('Stopping: finishing what is under way'))
      isStopping = true
      return sent
    },
    alive: () => told('WATCHDOG=1'),
  }
  return manager
}

/** A message has an assignment a line. */
const statusOf = (text: string): string => `STATUS=${text.replaceAll(/\s+/g, ' ')}`
