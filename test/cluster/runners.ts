import { inTime, kubectl, kubectlWith, list, read } from './kubectl.ts'
import { NAMESPACE } from './release.ts'

/** Selects what belongs to runners. */
export const RUNNERS = ['-n', NAMESPACE, '-l', 'tidemark.dev/runners=tidemark-runner']
const TEMPLATE = ['-n', NAMESPACE, 'podtemplate', 'tidemark-runner']
const NODE = '/usr/local/bin/node'
/** The cluster removes a Job this long after its end, and the operator a Job that it did not release. */
const TTL_MS = 120_000
const PATIENCE_MS = 60_000

export interface RunningPod {
  readonly metadata: { readonly name: string }
  readonly status: { readonly podIP: string }
}

export const runningPods = async (): Promise<RunningPod[]> =>
  (await list('pods', ...RUNNERS)).filter(
    ({ metadata, status }) => status.phase === 'Running' && metadata.deletionTimestamp === undefined,
  )

/** Returns the containers of pods that were started again, or that ended with an error, as `pod/container`. */
export async function crashed(pods: readonly RunningPod[]): Promise<readonly string[]> {
  const names = pods.map(({ metadata }) => metadata.name)
  return (await list('pods', ...RUNNERS))
    .filter(({ metadata }) => names.includes(metadata.name))
    .flatMap(({ metadata, status }) =>
      [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
        .filter(({ restartCount, state }) => restartCount > 0 || (state.terminated?.exitCode ?? 0) !== 0)
        .map((container) => `${metadata.name}/${container.name}`),
    )
}

/** Returns the names of Jobs that have not ended. */
export const openJobs = async (): Promise<readonly string[]> =>
  (await list('jobs', ...RUNNERS))
    .filter(({ status }) => !status.conditions?.some((one: { status: string }) => one.status === 'True'))
    .map(({ metadata }) => metadata.name)

/** Resolves when no check needs a runner any more, and nothing is left of those that there were but ended Jobs. */
export async function noOrphans(forMs: number): Promise<void> {
  await inTime(
    async () => {
      const [jobs, others] = await Promise.all([list('jobs', ...RUNNERS), list('pods,secrets', ...RUNNERS)])
      const names = jobs.map(({ metadata }) => metadata.name)
      const overdue = jobs.filter(({ status }) => Date.now() - Date.parse(endOf(status)) > TTL_MS + PATIENCE_MS)
      const orphans = others.filter(
        ({ metadata }) => !names.includes(metadata.ownerReferences?.find((one: Owner) => one.kind === 'Job')?.name),
      )
      return [
        ...(await openJobs()).map((name) => `the Job ${name} has not ended`),
        ...overdue.map(({ metadata }) => `the Job ${metadata.name} is not removed`),
        ...orphans.map(({ kind, metadata }) => `the ${kind} ${metadata.name} has no Job`),
      ]
    },
    (left) => left.length === 0,
    forMs,
  )
}

interface Owner {
  readonly kind: string
  readonly name: string
}

const endOf = (status: { completionTime?: string; conditions?: { status: string; lastTransitionTime: string }[] }) =>
  status.completionTime ?? status.conditions?.find((one) => one.status === 'True')?.lastTransitionTime ?? ''

/** Asks the API server to evict a pod, as a drained node does. */
export function evict(name: string): Promise<string> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } }
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`
  return kubectlWith(JSON.stringify(eviction), 'create', '--raw', path, '-f', '-')
}

/**
 * Begins to write to the output of a runner, which counts as its ephemeral storage, what no rotation of logs makes
 * small. Nothing waits for the end: a kubelet may look, and end the pod, in the middle of it.
 */
export const fillDisk = (pod: string, megabytes: number): Promise<string> =>
  kubectl(
    ...['-n', NAMESPACE, 'exec', pod, '-c', 'runner', '--', NODE, '-e'],
    `const write = \`
       const out = fs.openSync('/proc/1/fd/1', 'w')
       for (let n = 0; n < ${256 * megabytes}; n++)
         fs.writeSync(out, crypto.randomBytes(3_071).toString('base64') + '\\\\n')\`
     child_process.spawn('${NODE}', ['-e', write], { detached: true, stdio: 'ignore' }).unref()`,
  )

/** Returns the token of a Job. */
export async function tokenOf(job: string): Promise<string> {
  const secret = await read('-n', NAMESPACE, 'secret', job)
  return Buffer.from(secret.data.token, 'base64').toString()
}

/**
 * Claims with a token at the runner API, from the pod that serves it. Returns the status, and how many checks it got.
 */
export async function claimWith(token: string): Promise<{ readonly status: number; readonly checks: number }> {
  const script = `const answer = await fetch('http://127.0.0.1:8081/runner/claim', {
      method: 'POST',
      headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json', 'tidemark-runner-api': '1' },
      body: '{"limit":10}',
    })
    const body = await answer.json()
    console.log(JSON.stringify({ status: answer.status, checks: body.tasks?.length ?? 0 }))`
  return inPod('worker', script)
}

const PODS = { worker: 'deployment/tidemark-worker', postgres: 'statefulset/tidemark-postgres' } as const

/** Runs a program in a pod, and returns the JSON that it wrote. */
async function inPod<T>(component: keyof typeof PODS, script: string): Promise<T> {
  const pod = ['-n', NAMESPACE, 'exec', PODS[component], '-c', component, '--']
  return JSON.parse(await kubectl(...pod, NODE, '--input-type=module', '-e', script)) as T
}

/** Returns the names of the exits that searches went out from. */
export const exitNames = (): Promise<readonly string[]> =>
  inPod(
    'postgres',
    `const { default: pg } = await import('/node_modules/pg/lib/index.js')
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = process.env
    const client = new pg.Client({ host: '127.0.0.1', user, password, database })
    await client.connect()
    const { rows } = await client.query('select distinct exit from serp_exits where last_team is not null')
    console.log(JSON.stringify(rows.map(({ exit }) => exit)))
    await client.end()`,
  )

interface PodProcess {
  readonly pid: number
  readonly name: string
  /** As in /proc: Z is one that has ended and that nobody has collected. */
  readonly state: string
}

/** Returns the processes of a container. */
export async function processesOf(pod: string, container: string): Promise<readonly PodProcess[]> {
  const script = `const stats = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).flatMap((pid) => {
      try { return [fs.readFileSync('/proc/' + pid + '/stat', 'utf8')] } catch { return [] }
    })
    console.log(JSON.stringify(stats.map((stat) => {
      const [, pid, name, state] = /^([0-9]+) [(](.*)[)] (.)/s.exec(stat)
      return { pid: Number(pid), name, state }
    })))`
  return JSON.parse(await kubectl('-n', NAMESPACE, 'exec', pod, '-c', container, '--', NODE, '-e', script))
}

/** Changes the container `runner` of the PodTemplate, and returns what makes it as it was. */
export async function changeTemplate(change: object): Promise<() => Promise<void>> {
  const before = await read(...TEMPLATE)
  const patch = { template: { spec: { containers: [{ name: 'runner', ...change }] } } }
  await kubectl('patch', ...TEMPLATE, '--type=strategic', '-p', JSON.stringify(patch))
  return async () => {
    const { metadata, ...rest } = before
    const { name, namespace, labels, annotations } = metadata
    const text = JSON.stringify({ ...rest, metadata: { name, namespace, labels, annotations } })
    await kubectlWith(text, 'replace', '-f', '-')
  }
}

/** Resolves with the Events of a reason. */
export const eventsOf = (reason: string, isEnough: (events: readonly KubeEvent[]) => boolean, forMs?: number) =>
  inTime(
    async (): Promise<KubeEvent[]> =>
      (await list('-n', NAMESPACE, 'events.events.k8s.io')).filter((event) => event.reason === reason),
    isEnough,
    forMs,
  )

interface KubeEvent {
  readonly note: string
  readonly regarding: { readonly kind: string; readonly name: string }
}
