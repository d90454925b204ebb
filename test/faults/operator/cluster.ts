import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import type { CustomResource } from '../../../operator/reconcile/custom-resource.ts'
import { createFaultyKube, type FaultyKube } from '../../operator/cluster/faulty-kube.ts'
import { createInstallation, type Person, type Installation } from '../../support/database/installation.ts'
import { type KubeApi, startKubeApi } from '../../support/kubernetes/kube-api.ts'
import { openTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts'
import { type CliProcess, startCli } from '../../support/process/cli-process.ts'
import { eventually } from '../../support/run/eventually.ts'
import { until } from '../../support/run/until.ts'
import type { Query } from '../query.ts'

const KEY = 'a key of the tests, which is long enough'
const ROOT = new URL('../../../', import.meta.url).pathname
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/tidemark-operator'

/** A real API server and a store, and real operators between them: both ways can be spoilt. */
export interface Cluster extends AsyncDisposable {
  readonly kube: KubeApi
  /** The way of the operators to the API server. */
  readonly way: FaultyKube
  /** The way of the operators to the store. */
  readonly storeWay: TcpProxy
  readonly installation: Installation
  readonly query: Query
  /** Starts an operator and waits until it watches. */
  operator(environment?: Readonly<Record<string, string>>): Promise<CliProcess>
  /** Starts an operator, and another each time that it ends, as a Deployment does. */
  supervise(): Supervised
  /** Lets the lease of a leader that was killed end now, and not in 15 s. */
  endLease(): Promise<void>
  /** Kills all operators, and ends their lease. */
  reset(): Promise<void>
  /** Applies the definitions of the kinds again. */
  installDefinitions(): Promise<void>
  /** Makes a team, and a namespace that belongs to it. */
  tenant(): Promise<Tenant>
  /** Requests of the operators that changed something since the last call, apart from Leases and Events. */
  writes(): readonly string[]
}

interface Supervised {
  /** How many operators were started. */
  readonly starts: number
  readonly output: string
}

/** A team and its namespace. */
export interface Tenant {
  readonly namespace: string
  readonly person: Person
  /** Applies a Monitor; expects that the API server takes it. */
  apply(name: string, spec?: object, annotations?: Readonly<Record<string, string>>): Promise<void>
  /** Makes a Secret, or replaces it. */
  secret(name: string, values: Readonly<Record<string, string>>): Promise<void>
  remove(name: string): Promise<void>
  removeAll(): Promise<void>
  list(): Promise<readonly CustomResource[]>
  /** Resolves when the status of each resource answers to what was applied; returns the milliseconds that it took. */
  settled(patienceMs?: number): Promise<number>
  /** Returns resources and records, without what is another each time. */
  state(): Promise<object>
}

const SPEC = {
  name: 'Price of the kettle',
  url: 'https://shop.example/kettle',
  scheduleIntervalSeconds: 900,
  extractConfig: { method: 'css', fields: { price: '.price' } },
  diffPredicate: { type: 'any_field_changes' },
}

export async function openCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-operator-faults-'))
  const [kube, installation] = await Promise.all([startKubeApi(), createInstallation()])
  await kube.applyCrds(`${ROOT}crds`)
  const way = await createFaultyKube(kube, folder)
  const storeWay = await openTcpProxy(installation.url)
  const pool = new pg.Pool({ connectionString: installation.url, max: 2 })
  const query: Query = async <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await pool.query<T>(text, values)).rows
  const processes: CliProcess[] = []
  let counted = 0
  let tenants = 0
  let isClosing = false

  async function killAll(): Promise<void> {
    isClosing = true
    await Promise.all(processes.splice(0).map((one) => one[Symbol.asyncDispose]()))
    isClosing = false
  }

  const endLease = async () => void (await kube.call('DELETE', LEASE))

  function begin(environment: Readonly<Record<string, string>> = {}): CliProcess {
    const started = startCli(['operator', '--kubeconfig', way.kubeconfig], {
      DATABASE_URL: storeWay.url,
      TIDEMARK_ENCRYPTION_KEY: KEY,
      TIDEMARK_LOG_LEVEL: 'info',
      ...environment,
    })
    processes.push(started)
    return started
  }

  function supervise(): Supervised {
    const children: CliProcess[] = []
    const next = () => {
      if (isClosing) return
      const child = begin()
      children.push(child)
      void child.exited.then(next)
    }
    next()
    return {
      get starts() {
        return children.length
      },
      get output() {
        return children.map(({ stdout, stderr }) => stdout + stderr).join('\n')
      },
    }
  }

  async function tenant(): Promise<Tenant> {
    const person = await installation.person('scale')
    const namespace = `team-${(tenants += 1)}`
    const made = await kube.call('POST', '/api/v1/namespaces', {
      metadata: { name: namespace, labels: { 'tidemark.dev/team': person.teamId } },
    })
    expect(made.status).toBe(201)
    return createTenant(kube, query, { person, namespace })
  }

  return {
    kube,
    way,
    storeWay,
    installation,
    query,
    supervise,
    tenant,
    async operator(environment) {
      const started = begin(environment)
      // One that is killed with its first write says nothing more.
      await started.says(/is watching the resources/).catch(async (error: unknown) => {
        if (!String(error).includes('before the end') || (await started.exited) !== null) throw error
      })
      return started
    },
    endLease,
    installDefinitions: () => kube.applyCrds(`${ROOT}crds`),
    async reset() {
      await killAll()
      await endLease()
    },
    writes() {
      const fresh = way.seen.slice(counted)
      counted = way.seen.length
      return fresh.filter((what) => !what.startsWith('GET ') && !/\/(leases|events)\b/.test(what))
    },
    async [Symbol.asyncDispose]() {
      await killAll()
      await way[Symbol.asyncDispose]()
      await storeWay[Symbol.asyncDispose]()
      await pool.end()
      await Promise.all([kube.stop(), installation.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function createTenant(
  kube: KubeApi,
  query: Query,
  { person, namespace }: Pick<Tenant, 'person' | 'namespace'>,
): Tenant {
  const collection = `/apis/tidemark.dev/v1/namespaces/${namespace}/monitors`
  // After its start, the API server is ready a moment before it serves the kind.
  const served = () =>
    eventually(
      () => kube.call('GET', collection),
      ({ status }) => status === 200,
    )
  const list = async () => (await served()).body.items as readonly CustomResource[]
  return {
    person,
    namespace,
    list,
    async apply(name, spec = {}, annotations = {}) {
      const metadata = { name, namespace, annotations }
      const body = { apiVersion: 'tidemark.dev/v1', kind: 'Monitor', metadata, spec: { ...SPEC, ...spec } }
      const path = `${collection}/${name}?fieldManager=test&force=true`
      const answer = await kube.call('PATCH', path, body, 'application/apply-patch+yaml')
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    },
    async secret(name, stringData) {
      const metadata = { name, namespace, labels: { 'tidemark.dev/monitors': 'true' } }
      const body = { apiVersion: 'v1', kind: 'Secret', metadata, stringData }
      const path = `/api/v1/namespaces/${namespace}/secrets/${name}?fieldManager=test&force=true`
      const answer = await kube.call('PATCH', path, body, 'application/apply-patch+yaml')
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    },
    async remove(name) {
      expect((await kube.call('DELETE', `${collection}/${name}`)).status).toBe(200)
    },
    async removeAll() {
      expect((await kube.call('DELETE', collection)).status).toBe(200)
    },
    settled: (patienceMs) =>
      until(
        async () => (await list()).filter((resource) => !isSettled(resource)),
        (left) => left.length === 0,
        patienceMs,
      ),
    async state() {
      const records = await recordsOf(query, person.teamId)
      const names = new Map(records.map(({ id, name }) => [id, name]))
      return {
        records: records.map((record) => ({ ...record, id: null })),
        resources: (await list()).map(({ metadata, status }) => ({
          name: metadata.name,
          generation: metadata.generation,
          finalizers: metadata.finalizers,
          record: names.get(status?.id ?? ''),
          conditions: status?.conditions?.map((condition) => ({ ...condition, lastTransitionTime: null })),
          handled: status?.lastHandledRequest,
        })),
      }
    },
  }
}

function isSettled({ metadata, status }: CustomResource): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const request = metadata.annotations?.['tidemark.dev/run-requested-at']
  return (
    metadata.deletionTimestamp === undefined &&
    ready?.observedGeneration === metadata.generation &&
    (request === undefined || status?.lastHandledRequest === request)
  )
}

interface StoredRecord {
  readonly id: string
  readonly name: string
}

/** Returns all records of a team, deleted ones too, with what was done to them. */
const recordsOf = (query: Query, teamId: string) =>
  query<StoredRecord>(
    `select m.id, m.name, m.url, m.schedule_interval_seconds as interval, m.managed_by, m.suspended, m.paused,
       m.deleted_at is not null as deleted, c.next_run_at is not null as scheduled,
       c.queued_run_id is not null as queued, r.name as resource, r.generation, r.last_request,
       array(select a.action || coalesce(' ' || (a.metadata ->> 'changed'), '') from audit_events a
         where a.target_id = m.id::text order by 1) as done
     from monitors m join checks c on c.no = m.no left join monitor_resources r on r.no = m.no
     where m.team_id = $1 order by m.name, m.no`,
    [teamId],
  )
