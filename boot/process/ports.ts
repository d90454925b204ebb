import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Issue } from '../../schema/validation/issue.ts'
import { SettingsError, type Settings } from '../settings/read-config.ts'

/** The settings that hold the number of a port. */
export const PORT_SETTINGS = ['PORT', 'TIDEMARK_RUNNER_API_PORT', 'TIDEMARK_METRICS_PORT'] as const
export type PortSetting = (typeof PORT_SETTINGS)[number]

/**
 * Throws SettingsError with every port that cannot be opened. It is called before anything is created: a start that
 * cannot listen must not leave a new database behind.
 */
export async function checkPorts(settings: Settings, names: readonly PortSetting[]): Promise<void> {
  const host = settings.HOST
  const issues = new Map<string, string>()
  const seen = new Map<number, PortSetting>()
  for (const name of names) {
    const port = settings[name]
    if (port === undefined) continue
    // Port 0 is any that is free, so only the host can be wrong.
    const other = port === 0 ? undefined : seen.get(port)
    seen.set(port, name)
    const issue = other === undefined ? await issueOf({ name, port, host }) : same({ name, port, other })
    if (issue) issues.set(issue.path, issue.message)
  }
  if (issues.size > 0) throw new SettingsError(Array.from(issues, ([path, message]) => ({ path, message })))
}

const same = ({ name, port, other }: { name: PortSetting; port: number; other: PortSetting }): Issue => ({
  path: name,
  message: `is ${port}, and so is ${other}; set another port`,
})

interface Claim {
  readonly name: PortSetting
  readonly port: number
  readonly host: string
}

async function issueOf({ name, port, host }: Claim): Promise<Issue | null> {
  const server = await listen(host, port).catch((fault: NodeJS.ErrnoException) => fault)
  if (!(server instanceof Error)) return close(server).then(() => null)
  return explained(server, { name, port, host })
}

function explained(error: NodeJS.ErrnoException, { name, port, host }: Claim): Issue {
  if (error.code === 'EADDRINUSE')
    return {
      path: name,
      message:
        `is ${port}, but the port is in use on ${host}; stop what uses it, or set another one, or 0 for any that ` +
        'is free',
    }
  if (error.code === 'EACCES' || error.code === 'EPERM')
    return { path: name, message: `is ${port}, which this user may not open; set a port above 1023` }
  if (error.code === 'EADDRNOTAVAIL')
    return { path: 'HOST', message: `is ${JSON.stringify(host)}, which is not an address of this machine` }
  if (error.syscall === 'getaddrinfo')
    return { path: 'HOST', message: `is ${JSON.stringify(host)}, a name that has no address (${error.code})` }
  return { path: name, message: `is ${port}, which cannot be opened on ${host} (${error.code ?? error.message})` }
}

/** A port that nobody else can take. */
interface HeldPort {
  readonly port: number
  /** Lets go of it: right before it is listened on, or at the end of a start that failed. */
  release(): Promise<void>
}

/**
 * Takes a port that is free. With PORT=0 its number is needed before the API is built, because the base address
 * contains it, and until the API listens another process could be given the same one.
 */
export async function holdPort(host: string): Promise<HeldPort> {
  const server = await listen(host, 0)
  server.on('connection', (socket) => socket.destroy())
  return { port: (server.address() as AddressInfo).port, release: async () => void (await close(server)) }
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

const close = (server: Server) => new Promise((resolve) => server.close(resolve))
