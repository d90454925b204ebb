import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CustomResource } from '../../operator/reconcile/custom-resource.ts'

/**
 * What a burst of browser checks makes of runner pods in a cluster. Times are in seconds since the burst was applied.
 */
export interface PodsOverTime {
  readonly date: string
  readonly checks: number
  /** The values `runner.max` and `runner.slots` of the release, and `runner.idleSeconds`. */
  readonly max: number
  readonly slots: number
  readonly idleSeconds: number
  /** All resources were accepted by the API server. */
  readonly appliedS: number
  /** The first run began. */
  readonly firstClaimS: number
  /** The last run ended. */
  readonly doneS: number
  /** No pod is left that runs or ends. */
  readonly noPodsS: number
  /** Pods that there are, once a second, from the first second until there are none. */
  readonly pods: readonly number[]
}

export interface PodsSize {
  readonly checks: number
}

const NAMESPACE = 'tidemark'
const PAGE = `http://changing-page.${NAMESPACE}.svc:8181/`
const LABEL = 'tidemark.dev/bench=pods'
const EVERY_MS = 1_000
const LONGEST_MS = 15 * 60_000

/**
 * Applies monitors that need a browser, all at once, and counts the runner pods until there are none. It needs the
 * release of the README's section on Kubernetes in the cluster of `KUBECONFIG`, with its page.
 */
export async function measurePods({ checks }: PodsSize, say: (line: string) => void): Promise<PodsOverTime> {
  if (!process.env['KUBECONFIG']) throw new Error('the part pods needs a cluster: set KUBECONFIG')
  const [max, slots] = await Promise.all(['TIDEMARK_RUNNER_MAX', 'TIDEMARK_RUNNER_SLOTS'].map(settingOfOperator))
  const idleSeconds = await idleSecondsOf()
  if ((await podCount()) > 0) throw new Error('runner pods are there already: wait until they have ended')
  await removeMonitors()
  say(`${checks} checks at once`)
  const began = Date.now()
  const since = (at: number) => (at - began) / 1_000
  const pods: number[] = []
  await kubectlWith(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: monitors(checks) }), 'apply', '-f', '-')
  const appliedS = since(Date.now())
  let isDone = false
  try {
    for (let second = 1; !isDone || pods.at(-1) !== 0; second += 1) {
      if (Date.now() - began > LONGEST_MS) throw new Error(`the burst takes too long: ${pods.join(' ')}`)
      await pause(Math.max(0, began + second * EVERY_MS - Date.now()))
      pods.push(await podCount())
      isDone ||= (await healthy()).length === checks
    }
    const noPodsS = since(Date.now())
    const runs = await runsOf()
    if (runs.length !== checks || runs.some(({ status }) => status !== 'success'))
      throw new Error(`${checks} checks made other runs: ${JSON.stringify(runs.slice(0, 3))}`)
    return {
      date: new Date(began).toISOString(),
      checks,
      max: max ?? 0,
      slots: slots ?? 0,
      idleSeconds,
      appliedS,
      firstClaimS: Math.min(...runs.map(({ started_at }) => since(Date.parse(started_at)))),
      doneS: Math.max(...runs.map(({ completed_at }) => since(Date.parse(completed_at)))),
      noPodsS,
      pods: pods.slice(0, pods.lastIndexOf(pods.findLast((count) => count > 0) ?? 0) + 2),
    }
  } finally {
    await removeMonitors()
  }
}

const monitors = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    apiVersion: 'tidemark.dev/v1',
    kind: 'Monitor',
    metadata: { name: `bench-${n}`, namespace: NAMESPACE, labels: { 'tidemark.dev/bench': 'pods' } },
    spec: {
      name: `Kettle ${n}`,
      url: PAGE,
      fetchMode: 'browser',
      scheduleIntervalSeconds: 86_400,
      extractConfig: { method: 'css', fields: { price: '.price' } },
      diffPredicate: { type: 'any_field_changes' },
    },
  }))

const removeMonitors = () =>
  kubectl('-n', NAMESPACE, 'delete', 'monitors', '-l', LABEL, '--ignore-not-found', '--timeout=300s')

interface Run {
  readonly status: string
  readonly started_at: string
  readonly completed_at: string
}

/** Returns the runs of the monitors, from the API inside the cluster. */
async function runsOf(): Promise<readonly Run[]> {
  const ids = (await resources()).map(({ status }) => status?.id)
  const secret = await kubectl('-n', NAMESPACE, 'get', 'secret', 'tidemark-owner', '-o', 'jsonpath={.data.api-key}')
  const script = `const headers = { authorization: 'Bearer ' + Buffer.from(${JSON.stringify(secret)}, 'base64') }
    const runs = []
    for (const id of ${JSON.stringify(ids)}) {
      const answer = await fetch('http://127.0.0.1:8080/v1/monitors/' + id + '/runs', { headers })
      runs.push(...(await answer.json()).data)
    }
    console.log(JSON.stringify(runs))`
  const api = ['-n', NAMESPACE, 'exec', 'deployment/tidemark-api', '-c', 'api', '--', '/usr/local/bin/node']
  return JSON.parse(await kubectl(...api, '--input-type=module', '-e', script)) as Run[]
}

const resources = async (): Promise<CustomResource[]> => listOf('monitors', '-l', LABEL)

const healthy = async () =>
  (await resources()).filter(({ status }) =>
    status?.conditions?.some((one) => one.type === 'Healthy' && one.status === 'True'),
  )

/** Returns how many runner pods have not ended. */
async function podCount(): Promise<number> {
  const pods = await listOf<{ readonly status: { readonly phase: string } }>('pods', '-l', 'tidemark.dev/runners')
  return pods.filter(({ status }) => status.phase === 'Running' || status.phase === 'Pending').length
}

async function listOf<T>(...args: readonly string[]): Promise<T[]> {
  return (JSON.parse(await kubectl('-n', NAMESPACE, 'get', ...args, '-o', 'json')) as { items: T[] }).items
}

/** Returns a number from the environment of the operator. */
async function settingOfOperator(name: string): Promise<number> {
  const path = `jsonpath={.spec.template.spec.containers[0].env[?(@.name=="${name}")].value}`
  return Number(await kubectl('-n', NAMESPACE, 'get', 'deployment', 'tidemark-operator', '-o', path))
}

async function idleSecondsOf(): Promise<number> {
  const name = 'TIDEMARK_RUNNER_IDLE_SECONDS'
  const path = `jsonpath={.template.spec.containers[0].env[?(@.name=="${name}")].value}`
  return Number(await kubectl('-n', NAMESPACE, 'get', 'podtemplate', 'tidemark-runner', '-o', path))
}

const kubectl = (...args: readonly string[]): Promise<string> => kubectlWith('', ...args)

async function kubectlWith(input: string, ...args: readonly string[]): Promise<string> {
  const assets = process.env['KUBEBUILDER_ASSETS']
  const child = promisify(execFile)(assets === undefined ? 'kubectl' : join(assets, 'kubectl'), args, {
    maxBuffer: 64 * 1024 * 1024,
  })
  child.child.stdin?.end(input)
  return (await child).stdout
}
