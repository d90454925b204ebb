import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePrivateFolder } from '../stage.ts'
import type { EmbeddedHome } from './embedded-home.ts'

/** The shortest limit that systems have for the path of a socket, without its closing zero. */
const LONGEST_SOCKET_PATH = 103
const SOCKET_NAME = '.s.PGSQL.5432'

interface SocketFolder {
  path: string
  remove(): Promise<void>
}

/**
 * Opens the folder of a server's socket; no server may be running there. It is `<home>/run`, or a new temporary folder
 * when that path is too long for a socket.
 *
 * The server has a socket and no port: no other user can connect, no page that a check fetches can name it, and it is
 * faster than loopback TCP.
 */
export async function openSocketFolder({ folder, user }: EmbeddedHome): Promise<SocketFolder> {
  const path = join(folder, 'run')
  if (Buffer.byteLength(join(path, SOCKET_NAME)) <= LONGEST_SOCKET_PATH) {
    // Created again at each start: the lock file of a killed server may name an unrelated process, or a zombie.
    await rm(path, { recursive: true, force: true })
    await makePrivateFolder(path, user)
    return { path, remove: () => Promise.resolve() }
  }
  const temporary = await mkdtemp(join(tmpdir(), 'tidemark-'))
  if (user !== null) await chown(temporary, user.uid, user.gid)
  return { path: temporary, remove: () => rm(temporary, { recursive: true, force: true }) }
}

/** Returns the URL of the server behind a socket, in the form that libpq, pg and slonik all read. */
export function socketUrl({
  folder,
  password,
  database,
}: {
  folder: string
  password: string
  database: string
}): string {
  return `postgresql://tidemark:${password}@${encodeURIComponent(folder)}/${database}`
}
