import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedHome } from './embedded-home.ts'
import { makePrivateFolder } from '../stage.ts'

/** The least of what systems allow for the path of a socket, its closing zero not counted. */
const LONGEST_SOCKET_PATH = 103
const SOCKET_NAME = '.s.PGSQL.5432'

export interface SocketFolder {
  path: string
  remove(): Promise<void>
}

/**
 * Opens the folder of a server's socket; no server may be running there. It is `<home>/run`, or a new one among the
 * temporary folders when that path is too long for a socket.
 *
 * A socket and no port: no other user can connect, no page that a check fetches can name it, and it is faster than
 * loopback TCP.
 */
export async function openSocketFolder({ folder, user }: EmbeddedHome): Promise<SocketFolder> {
  const path = join(folder, 'run')
  if (Buffer.byteLength(join(path, SOCKET_NAME)) <= LONGEST_SOCKET_PATH) {
    // Made anew: the lock file of a server that was killed may name a process that is not ours, or not buried yet.
    await rm(path, { recursive: true, force: true })
    await makePrivateFolder(path, user)
    return { path, remove: () => Promise.resolve() }
  }
  const temporary = await mkdtemp(join(tmpdir(), 'tidemark-'))
  if (user !== null) await chown(temporary, user.uid, user.gid)
  return { path: temporary, remove: () => rm(temporary, { recursive: true, force: true }) }
}

/** The address of the server behind a socket, in the form that libpq, pg and slonik all read. */
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
