import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { CustomResource } from '../../operator/reconcile/custom-resource.ts'
import { type KubeApi, startKubeApi } from '../../test/support/kubernetes/kube-api.ts'
import { freePort } from '../installation/start-up.ts'
import { type Spread, spreadOf } from '../results/stats.ts'
import { cpuTimeMs } from '../support/cpu-time.ts'
import type { Database, Server } from '../support/database.ts'
import { INTERVAL_SECONDS, insertTeam, moveClock, TEAM } from '../support/monitors.ts'
import { PAGE_EXTRACT } from '../support/page.ts'
import { ENCRYPTION_KEY, startWorkerProcess } from '../support/worker-process.ts'

/** What `tidemark operator` costs. Times are in ms, memory is resident. */
export interface OperatorCost {
  readonly date: string
  readonly resources: number
  /** From the start of an operator that finds the resources without records. */
  readonly first: {
    readonly recordsMs: number
    readonly statusesMs: number
    /** Requests that the API server answered with 429. */
    readonly refused: number
    readonly cpuMs: number
    readonly mostBytes: number
  }
  /** From the start of an operator that finds everything done, until nothing waits. */
  readonly again: {
    readonly ms: Spread
    readonly cpuMs: number
    readonly mostBytes: number
    readonly writes: number
  }
  /** From the last recorded first run of all to the last of their statuses. */
  readonly resultsMs: number
  /** From the request that applies one resource to its recorded run. */
  readonly firstRun: { readonly applied: number; readonly ms: Spread }
  /** All monitors ran once more, and nothing on their pages had changed. */
  readonly rest: { readonly runs: number; readonly statusWrites: number; readonly cpuMsASecond: number }
}

export interface OperatorSize {
  readonly resources: number
  readonly restarts: number
  readonly applied: number
  /** Seconds without anything to do. */
  readonly restSeconds: number
}

const CRDS = fileURLToPath(new URL('../../crds', import.meta.url))
const COMMAND = fileURLToPath(new URL('../../cli/tidemark.ts', import.meta.url))
const NAMESPACE = 'bench'
const COLLECTION = `/apis/tidemark.dev/v1/namespaces/${NAMESPACE}/monitors`
const AT_ONCE = 32
const LOOK_EVERY_MS = 200
const QUIET_MS = 3_000
const PATIENCE_MS = 900_000
const BROKEN_PROMISE = 'the operator wrote to the cluster although nothing had changed'

/** Measures the real command between a real API server and the bench's Postgres. Needs KUBEBUILDER_ASSETS. */
export async function measureOperator(
  server: Server,
  target: string,
  { resources, restarts, applied, restSeconds }: OperatorSize,
  say: (line: string) => void,
  profileDir?: string,
): Promise<OperatorCost> {
  const kube = await startKubeApi()
  const database = await server.create(`bench_operator_${resources}`)
  try {
    await kube.applyCrds(CRDS)
    await insertTeam(database)
    await createResources(kube, target, resources)
    const start = () => startOperator(kube, database.url, profileDir)
    say(`operator: first accept of ${resources}`)
    const first = await firstAccept(kube, database, await start(), resources)
    say('operator: restarts')
    const again = await restarted(kube, start, restarts)
    say('operator: first runs')
    await using operator = await start()
    await operator.idle()
    const worker = await startWorkerProcess(database.url)
    try {
      const resultsMs = await untilStatuses(kube, database, resources)
      const ms = []
      for (let n = 0; n < applied; n += 1) ms.push(await applyOne(kube, database, `${target}/unchanged/late-${n}`, n))
      await operator.idle()
      say('operator: at rest')
      const rest = await atRest(kube, database, operator, restSeconds)
      const firstRun = { applied, ms: spreadOf(ms) }
      return { date: new Date().toISOString(), resources, first, again, resultsMs, firstRun, rest }
    } finally {
      await worker.stop()
    }
  } finally {
    await database.close()
    await kube.stop()
  }
}

async function createResources(kube: KubeApi, target: string, resources: number): Promise<void> {
  const labels = { 'tidemark.dev/team': TEAM }
  await kube.call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE, labels } })
  let next = 0
  const create = async () => {
    while (next < resources) {
      const n = (next += 1)
      const answer = await kube.call('POST', COLLECTION, resource(`m${n}`, `${target}/unchanged/${n}`))
      if (answer.status !== 201) throw new Error(`a resource was not created: ${JSON.stringify(answer.body)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, create))
}

const resource = (name: string, url: string) => ({
  apiVersion: 'tidemark.dev/v1',
  kind: 'Monitor',
  metadata: { name },
  spec: {
    name: `Kettle ${name}`,
    url,
    scheduleIntervalSeconds: INTERVAL_SECONDS,
    extractConfig: PAGE_EXTRACT,
    diffPredicate: { type: 'any_field_changes' },
  },
})

interface OperatorProcess extends AsyncDisposable {
  readonly pid: number
  readonly startedAt: number
  /** Resolves when it leads, has seen every resource, and nothing waits in its queue. */
  idle(): Promise<void>
  /** The largest resident memory so far, in bytes. */
  mostBytes(): Promise<number>
  stop(): Promise<void>
}

async function startOperator(kube: KubeApi, databaseUrl: string, profileDir?: string): Promise<OperatorProcess> {
  const flags = profileDir === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileDir]
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, COMMAND, 'operator', '--kubeconfig', kube.kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      TIDEMARK_ENCRYPTION_KEY: ENCRYPTION_KEY,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_METRICS_PORT: String(port),
    },
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const leads = says(child, 'the operator has seen every resource')
  async function stop(): Promise<void> {
    process.off('exit', kill)
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  return {
    pid: child.pid ?? 0,
    startedAt,
    async idle() {
      await leads
      await until(async () => (await queueDepth(port)) === 0)
    },
    mostBytes: () => mostBytesOf(child.pid ?? 0),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function says(child: ChildProcess, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let seen = ''
  // Lines of the log are read and dropped, as by a collector.
  child.stdout?.on('data', (chunk: Buffer) => {
    seen = (seen + chunk.toString()).slice(-10_000)
    if (seen.includes(text)) resolve()
  })
  child.once('exit', (code) => {
    reject(new Error('the operator ended before'))
    // Nothing that waits for it would end.
    if (code !== 0 && child.signalCode === null) throw new Error(`the operator ended with ${code}: ${seen}`)
  })
  promise.catch(() => {})
  return promise
}

async function queueDepth(port: number): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`)
  return figure(await body.text(), /^tidemark_operator_queue_depth\{.*\} (\d+)/)
}

async function mostBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1_024
}

/** Returns the sum of a counter over all lines that match. */
const figure = (text: string, line: RegExp): number =>
  text.split('\n').reduce((sum, one) => sum + Number(line.exec(one)?.[1] ?? 0), 0)

/** Requests that the API server has answered so far, by its own count. */
async function answered(kube: KubeApi): Promise<{ statuses: number; others: number; refused: number }> {
  const text = String((await kube.call('GET', '/metrics')).body)
  const monitors = (more: string) =>
    new RegExp(`^apiserver_request_total\\{(?=.*resource="monitors")${more}.*\\} (\\d+)`)
  return {
    statuses: figure(text, monitors('(?=.*subresource="status")(?=.*verb="PATCH")')),
    others: figure(text, monitors('(?=.*subresource="")(?=.*verb="(?:PATCH|APPLY|PUT)")')),
    refused: figure(text, /^apiserver_request_total\{(?=.*code="429").*\} (\d+)/),
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('the operator did not get there in time')
    await pause(LOOK_EVERY_MS)
  }
}

async function firstAccept(
  kube: KubeApi,
  database: Database,
  operator: OperatorProcess,
  resources: number,
): Promise<OperatorCost['first']> {
  await using _ = operator
  const records = async () => (await database.one<{ n: number }>('select count(*)::int as n from monitor_resources')).n
  await until(async () => (await records()) >= resources)
  const recordsMs = performance.now() - operator.startedAt
  await until(async () => (await answered(kube)).statuses >= resources)
  const statusesMs = performance.now() - operator.startedAt
  const { refused } = await answered(kube)
  return {
    recordsMs,
    statusesMs,
    refused,
    cpuMs: await cpuTimeMs([operator.pid]),
    mostBytes: await operator.mostBytes(),
  }
}

async function restarted(
  kube: KubeApi,
  start: () => Promise<OperatorProcess>,
  restarts: number,
): Promise<OperatorCost['again']> {
  const before = await answered(kube)
  const found = []
  for (let n = 0; n < restarts; n += 1) {
    await using operator = await start()
    await operator.idle()
    const ms = performance.now() - operator.startedAt
    found.push({ ms, cpuMs: await cpuTimeMs([operator.pid]), mostBytes: await operator.mostBytes() })
  }
  const after = await answered(kube)
  return {
    ms: spreadOf(found.map(({ ms }) => ms)),
    cpuMs: spreadOf(found.map(({ cpuMs }) => cpuMs)).median,
    mostBytes: Math.max(...found.map(({ mostBytes }) => mostBytes)),
    writes: after.statuses + after.others - before.statuses - before.others,
  }
}

/** Waits until all first runs are recorded and in the statuses; returns how much later the statuses were. */
async function untilStatuses(kube: KubeApi, database: Database, resources: number): Promise<number> {
  const { statuses } = await answered(kube)
  const left = async () =>
    (await database.one<{ n: number }>('select count(*)::int as n from checks where last_run_at is null')).n
  await until(async () => (await left()) === 0)
  const ranAt = performance.now()
  await until(async () => (await answered(kube)).statuses >= statuses + resources)
  return performance.now() - ranAt
}

async function applyOne(kube: KubeApi, database: Database, url: string, n: number): Promise<number> {
  const name = `late-${n}`
  const began = performance.now()
  const path = `${COLLECTION}/${name}?fieldManager=bench`
  await kube.call('PATCH', path, resource(name, url), 'application/apply-patch+yaml')
  for (;;) {
    const { ran } = await database.one<{ ran: boolean }>(
      `select exists (select from monitor_resources r join checks c using (no)
         where r.name = $1 and c.last_run_at is not null) as ran`,
      [name],
    )
    if (ran) return performance.now() - began
    await pause(5)
  }
}

/** Waits until each status shows a run, and nothing waits; returns what was written until then. */
async function quiet(kube: KubeApi, operator: OperatorProcess) {
  await until(async () => {
    await pause(QUIET_MS)
    const { items } = (await kube.call('GET', `${COLLECTION}?resourceVersion=0`)).body
    return (items as CustomResource[]).every(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Healthy' && is === 'True'),
    )
  })
  await operator.idle()
  return answered(kube)
}

/** Lets every monitor run once more, as in an hour, and then waits. */
async function atRest(
  kube: KubeApi,
  database: Database,
  operator: OperatorProcess,
  seconds: number,
): Promise<OperatorCost['rest']> {
  const before = await quiet(kube, operator)
  const { runs: from } = await database.one<{ runs: number }>('select sum(runs_total)::int as runs from checks')
  await moveClock(database, 2)
  const ran = async () =>
    (await database.one<{ runs: number }>('select sum(runs_total)::int as runs from checks')).runs - from
  const { n } = await database.one<{ n: number }>('select count(*)::int as n from checks')
  await until(async () => (await ran()) >= n)
  await pause(QUIET_MS)
  await operator.idle()
  const cpu = await cpuTimeMs([operator.pid])
  await pause(seconds * 1_000)
  const cpuMsASecond = ((await cpuTimeMs([operator.pid])) - cpu) / seconds
  const after = await answered(kube)
  if (after.others !== before.others) throw new Error(BROKEN_PROMISE)
  return { runs: await ran(), statusWrites: after.statuses - before.statuses, cpuMsASecond }
}
