import { spawnSync } from 'node:child_process'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** The address at which the namespace's one public site is, and ports of it. */
export const PUBLIC = '93.184.216.34'
export const SITE_PORT = 8081

/** Listeners that count who comes. */
interface Counted {
  /** Contacts since it was last asked, by address and port. */
  take(): Record<string, number>
  close(): Promise<void>
}

/** Gives loopback of this network namespace all of these addresses that it takes; answers those. */
export function takeAddresses(addresses: readonly string[]): string[] {
  ip('link', 'set', 'lo', 'up')
  return addresses.filter((address) =>
    address.includes(':')
      ? ip('-6', 'addr', 'add', `${address}/128`, 'dev', 'lo', 'nodad')
      : ip('addr', 'add', `${address}/32`, 'dev', 'lo'),
  )
}

const ip = (...args: string[]) => spawnSync('ip', args, { stdio: 'ignore' }).status === 0

/** Listens on these ports of every address that there is. */
export async function listenEverywhere(ports: readonly number[]): Promise<Counted> {
  let contacts: Record<string, number> = {}
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  for (const port of ports) {
    const server = createServer((socket) => {
      const at = `${socket.localAddress} ${port}`
      contacts[at] = (contacts[at] ?? 0) + 1
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket)).on('error', () => {})
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 12\r\n\r\n<p>secret<p>')
    })
    // Where an address is taken already, by the public site, its own listener has the port.
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '::', 1024, resolve))
    servers.push(server)
  }
  return {
    take() {
      const taken = contacts
      contacts = {}
      return taken
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

/** Knocks without any wall: shows that who comes is counted. */
export function knock(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once('close', () => resolve(false))
    socket.once('error', () => resolve(false))
    // Counted where it is accepted, which is once it is answered.
    socket.once('data', () => {
      resolve(true)
      socket.destroy()
    })
  })
}
