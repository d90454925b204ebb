import { execFile, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject, type TestContext } from 'vitest'
import { createKubeClient, type KubeClient } from '../../operator/cluster/kube-client.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'

const cluster = inject('cluster')
/** The cluster runs on this machine, which is its only node. */
export const isOneNode = cluster.ok && cluster.isOneNode
/** Where the page of the docs installs the release, and where the site of the tests is. */
export const NAMESPACES = { release: 'tidemark', site: 'tidemark-site' }
/** The label of the namespaces that a run of the tests makes, and its value in this run. */
export const RUN_LABEL = 'tidemark.dev/test-run'
export const RUN = cluster.ok ? cluster.run : ''
/** The longest request is a call that waits for a preview. */
const REQUEST_MS = 90_000
const PATH = [process.env['KUBEBUILDER_ASSETS'], process.env['PATH']].filter(Boolean).join(':')

/** The environment of a person who works with the cluster: its kubeconfig, and kubectl and helm in the path. */
export const environment: Readonly<Record<string, string>> = {
  PATH,
  HOME: cluster.ok ? cluster.home : '',
  KUBECONFIG: cluster.ok ? cluster.kubeconfig : '',
}

/** `describe` where there is a cluster. Elsewhere the suite is skipped, with a line that says why, also in CI. */
export const describeInCluster = describeIf(cluster.ok, cluster.ok ? '' : cluster.reason, { isBeyondCi: true })

/** Skips a test that needs the node itself in a cluster of `KUBECONFIG`, with the reason. */
export function needsNode(context: TestContext): void {
  if (!isOneNode) context.skip('it needs files and processes of the node, which only the cluster of one node shows')
}

/** Runs kubectl and returns what it wrote. Rejects when it fails, with what it said. */
export const kubectl = (...args: readonly string[]): Promise<string> => program('kubectl', args)

/** Runs helm and returns what it wrote. Rejects when it fails, with what it said. */
export const helm = (...args: readonly string[]): Promise<string> => program('helm', args)

async function program(name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(pathOf(name), args, {
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

const pathOf = (name: string): string => {
  const file = join(process.env['KUBEBUILDER_ASSETS'] ?? '', name)
  try {
    accessSync(file, constants.X_OK)
    return file
  } catch {
    return name
  }
}

/**
 * Sends a request to the API server, and returns what it answered; rejects when that is no success. A process of
 * kubectl for each of many requests would cost more than they do.
 */
export async function request<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
  // KUBECONFIG may name several files.
  client ??= createKubeClient(isOneNode ? environment['KUBECONFIG'] : undefined)
  const answer = await client.call<T>({ method, path, body, timeoutMs: REQUEST_MS })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

let client: KubeClient | undefined

/** Runs kubectl with something to read. */
export async function kubectlWith(input: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(pathOf('kubectl'), args, { env: environment })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (chunk: string) => (said[stream] += chunk))
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${said.stderr}`)
  return said.stdout
}

/** Applies objects. */
export const apply = (...objects: readonly object[]): Promise<string> =>
  kubectlWith(objects.map((object) => JSON.stringify(object)).join('\n---\n'), 'apply', '-f', '-')

// Kubernetes' own shapes; tests say what they expect of them.
// oxlint-disable-next-line typescript/no-explicit-any
type KubeObject = any

/** Returns an object, or null when it is not there. */
export async function read(...args: readonly string[]): Promise<KubeObject> {
  const text = await kubectl('get', ...args, '-o', 'json', '--ignore-not-found')
  return text.trim() === '' ? null : JSON.parse(text)
}

/** Returns the objects of a list. */
export const list = async (...args: readonly string[]): Promise<KubeObject[]> => (await read(...args))?.items ?? []

/** Returns the run of the tests that made a namespace; null where there is none. Rejects where no test has made it. */
export async function runOf(namespace: string): Promise<string | null> {
  const found = await read('namespace', namespace)
  if (found === null) return null
  const run = found.metadata.labels?.[RUN_LABEL]
  if (run === undefined)
    throw new Error(`the cluster has a namespace ${namespace} that no test has made: choose another cluster`)
  return run
}

/** As `eventually`, for what takes a process of kubectl to see. */
export const inTime = <T>(look: () => Promise<T>, condition: (seen: T) => boolean, forMs = 90_000): Promise<T> =>
  eventually(look, condition, { forMs, everyMs: 300 })
