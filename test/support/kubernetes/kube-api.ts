import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../network/free-port.ts'
import { eventually } from '../run/eventually.ts'
import { kubeAssets } from './kube-assets.ts'

interface KubeAnswer {
  status: number
  // Kubernetes' own shapes; tests say what they expect of them.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

/** A real API server with an empty store. No controllers and no nodes: nothing runs, and nothing is collected. */
export interface KubeApi {
  url: string
  /** A file for KUBECONFIG, of an administrator. */
  kubeconfig: string
  /**
   * One call as an administrator; the path begins with `/api`, and `body` is sent as JSON unless `contentType` says
   * what else.
   */
  call(method: string, path: string, body?: unknown, contentType?: string): Promise<KubeAnswer>
  /** Runs kubectl and answers what it wrote. Rejects when it fails, with what it said. */
  kubectl(...args: string[]): Promise<string>
  /** Applies a file of CustomResourceDefinitions and waits until they are served. */
  applyCrds(file: string): Promise<void>
  /** Kills one of its two programs. */
  kill(part: KubePart): Promise<void>
  /** Starts a program again that was killed, with what it had stored, and waits until the API server is ready. */
  restart(part: KubePart): Promise<void>
  stop(): Promise<void>
}

type KubePart = 'etcd' | 'kube-apiserver'

const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 50

/**
 * Starts etcd and kube-apiserver on loopback, in a throwaway folder: one call a test file, some 3 s. Stop it in
 * `afterAll`.
 */
export async function startKubeApi(): Promise<KubeApi> {
  const assets = kubeAssets()
  if (assets === null) throw new Error('there are no assets to start an API server from')
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-kube-'))
  const children = new Map<KubePart, ChildProcess>()
  const stop = async () => {
    agent?.destroy()
    for (const child of [...children.values()].toReversed()) await kill(child)
    await rm(folder, { recursive: true, force: true })
  }
  let agent: Agent | undefined
  try {
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()]
    const token = randomUUID()
    await writeFile(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await writeFile(join(folder, 'accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const args = { etcd: etcdArgs(folder, etcdPort, peerPort), 'kube-apiserver': serverArgs(folder, etcdPort, port) }
    const begin = (part: KubePart) => {
      const child = start(join(assets, part), args[part])
      children.set(part, child)
      return child
    }
    begin('etcd')
    const server = begin('kube-apiserver')
    const url = `https://127.0.0.1:${port}`
    const ca = await certificate(folder, server)
    agent = new Agent({ ca, keepAlive: true, maxSockets: 4 })
    const call = caller(url, token, agent)
    const isReady = async () => (await call('GET', '/readyz').catch(() => null))?.status === 200
    await until(server, isReady)
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, kubeconfigOf(url, ca, token))
    const kubectl = async (...args: string[]) => {
      const { stdout } = await promisify(execFile)(join(assets, 'kubectl'), [
        '--kubeconfig',
        kubeconfig,
        '--cache-dir',
        join(folder, 'cache'),
        ...args,
      ])
      return stdout
    }
    const applyCrds = async (file: string) => {
      await kubectl('apply', '--server-side', '-f', file)
      // A definition that has no status yet makes kubectl end with an error.
      const isServed = () =>
        kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', file).then(
          () => true,
          () => false,
        )
      await eventually(isServed, Boolean, { forMs: PATIENCE_MS })
    }
    const killPart = async (part: KubePart) => {
      const child = children.get(part)
      if (child) await kill(child)
    }
    const restart = (part: KubePart) => until(begin(part), isReady)
    return { url, kubeconfig, call, kubectl, applyCrds, kill: killPart, restart, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const etcdArgs = (folder: string, port: number, peerPort: number) => [
  `--data-dir=${join(folder, 'etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  '--unsafe-no-fsync',
  '--log-level=error',
]

const serverArgs = (folder: string, etcdPort: number, port: number) => [
  `--etcd-servers=http://127.0.0.1:${etcdPort}`,
  `--cert-dir=${folder}`,
  '--bind-address=127.0.0.1',
  '--advertise-address=127.0.0.1',
  '--endpoint-reconciler-type=none',
  `--secure-port=${port}`,
  `--token-auth-file=${join(folder, 'tokens.csv')}`,
  '--authorization-mode=RBAC',
  '--service-cluster-ip-range=10.0.0.0/24',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${join(folder, 'accounts.key')}`,
  `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
  // There is no controller that would make the accounts that pods are admitted with.
  '--disable-admission-plugins=ServiceAccount',
]

function start(program: string, args: string[]): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore' })
  // A test process that ends early must not leave servers behind.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  // Nothing of what they hold is kept, so there is nothing to end in order.
  child.kill('SIGKILL')
  await ended
}

async function until(server: ChildProcess, holds: () => Promise<boolean>): Promise<void> {
  const look = async () => {
    if (server.exitCode !== null || server.signalCode !== null) throw new Error('a server ended while starting')
    return holds()
  }
  await eventually(look, Boolean, { forMs: PATIENCE_MS, everyMs: LOOK_EVERY_MS })
}

/** The server makes itself a certificate. */
async function certificate(folder: string, server: ChildProcess): Promise<string> {
  let text = ''
  await until(server, async () => {
    text = await readFile(join(folder, 'apiserver.crt'), 'utf8').catch(() => '')
    return text.trimEnd().endsWith('-----END CERTIFICATE-----')
  })
  return text
}

const kubeconfigOf = (server: string, ca: string, token: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'default' } }],
  })

function caller(url: string, token: string, agent: Agent): KubeApi['call'] {
  return (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': contentType }
      const sent = request(new URL(path, url), { method, agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text })
        })
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
}
