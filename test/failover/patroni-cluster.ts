import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePrivateFolder } from '../../platform/stage.ts'
import { unprivilegedUser } from '../../platform/unprivileged-user.ts'
import { freePort } from '../support/network/free-port.ts'
import { until } from '../support/run/until.ts'
import { type NodePlace, patroniConfig } from './patroni-config.ts'

/** Three nodes of Postgres that Patroni watches over, and etcd. */
interface PatroniCluster extends AsyncDisposable {
  readonly nodes: readonly PatroniNode[]
  /** Resolves with the node that is the primary, once another one has each commit. */
  whole(): Promise<PatroniNode>
}

export interface PatroniNode extends NodePlace {
  /** Whether it says of itself that it is the primary. */
  isPrimary(): Promise<boolean>
  /** Ends Patroni and Postgres of this node at once, as a machine that is gone. */
  kill(): Promise<void>
  start(): Promise<void>
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

const PATIENCE_MS = 180_000

export async function startPatroni(): Promise<PatroniCluster> {
  const user = await unprivilegedUser(['postgres', 'nobody'])
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-patroni-'))
  await chmod(folder, 0o711)
  const children = new Set<ChildProcess>()
  const [etcdPort, peerPort] = [await freePort(), await freePort()]

  /** Starts a program whose output is in a file of the folder. */
  function run(name: string, program: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', ETCD_UNSUPPORTED_ARCH: process.arch }
    const child = spawn(program, args, { cwd: '/', env, stdio: ['ignore', log, log], detached: true, ...user })
    children.add(child)
    return child
  }

  const home = join(folder, 'etcd')
  await makePrivateFolder(home, user)
  const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`]
  run('etcd', 'etcd', [
    ...['--data-dir', home, '--unsafe-no-fsync', '--name', 'only', '--initial-cluster', `only=${peer}`],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ])
  await until(
    () =>
      fetch(`${client}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    Boolean,
    PATIENCE_MS,
  )

  async function node(name: string): Promise<PatroniNode> {
    const own = join(folder, name)
    await makePrivateFolder(own, user)
    const place = { name, folder: own, postgresPort: await freePort(), restPort: await freePort(), etcdPort }
    const settings = join(folder, `${name}.yml`)
    await writeFile(settings, patroniConfig(place))
    let patroni: ChildProcess | null = null
    return {
      ...place,
      isPrimary: () =>
        fetch(`http://127.0.0.1:${place.restPort}/primary`, { signal: AbortSignal.timeout(2_000) }).then(
          ({ ok }) => ok,
          () => false,
        ),
      async kill() {
        const pid = Number((await readFile(join(own, 'data/postmaster.pid'), 'utf8')).split('\n', 1)[0])
        const gone = patroni ? once(patroni, 'exit') : null
        patroni?.kill('SIGKILL')
        process.kill(pid, 'SIGKILL')
        await gone
        if (patroni) children.delete(patroni)
        patroni = null
      },
      async start() {
        patroni = run(name, 'patroni', [settings])
      },
    }
  }

  const nodes = [await node('one'), await node('two'), await node('three')]
  for (const one of nodes) await one.start()

  async function members(): Promise<readonly Member[]> {
    for (const { restPort } of nodes) {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`).catch(() => null)
      if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members
    }
    return []
  }

  return {
    nodes,
    async whole() {
      const isWhole = (all: readonly Member[]) =>
        all.length === nodes.length &&
        all.every(({ state }) => state === 'running' || state === 'streaming') &&
        all.some(({ role }) => role === 'leader') &&
        all.some(({ role }) => role === 'sync_standby')
      await until(members, isWhole, PATIENCE_MS)
      const leader = (await members()).find(({ role }) => role === 'leader')?.name
      const found = nodes.find(({ name }) => name === leader)
      if (!found) throw new Error('no node is the primary')
      return found
    },
    async [Symbol.asyncDispose]() {
      for (const one of nodes) await one.kill().catch(() => undefined)
      for (const child of children) child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}
