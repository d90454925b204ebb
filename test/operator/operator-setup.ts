import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import { createPolicy } from '../../egress/policy.ts'
import { createKubeClient } from '../../operator/cluster/kube-client.ts'
import { MIRROR_TIMES } from '../../operator/operator-times.ts'
import { SPAWNER_TIMES } from '../../operator/operator-times.ts'
import { type Operator, type OperatorOptions, startOperator } from '../../operator/operator.ts'
import type { CustomResource } from '../../operator/reconcile/custom-resource.ts'
import { PAGE_TABLE } from '../../store/monitors/kinds/page-table.ts'
import { findMonitor, listMonitors } from '../../store/monitors/monitors.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { createInstallation } from '../support/database/installation.ts'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { eventually } from '../support/run/eventually.ts'

export const KEY = 'a key of the tests, which is long enough'
export const CRDS = new URL('../../crds/', import.meta.url).pathname
export const TIMES = {
  resultsMs: 50,
  resyncMs: 600_000,
  secretMs: 60_000,
  statusMs: 60_000,
  mirrors: MIRROR_TIMES,
  runners: SPAWNER_TIMES,
  election: { leaseMs: 3_000, renewMs: 2_000, everyMs: 50 },
}
const RUN_REQUESTED = 'tidemark.dev/run-requested-at'

/** A real API server with the definitions, for a test file. */
export async function startCluster(): Promise<KubeApi> {
  const kube = await startKubeApi()
  await kube.applyCrds(CRDS)
  return kube
}

/** An API server for the tests of a file. `take` is called before each of them with a new store, team and operator. */
export function operatorForEachTest(
  take: (opened: { readonly kube: KubeApi; readonly setup: OperatorSetup }) => void,
  options: Partial<OperatorOptions> = {},
): void {
  let kube: KubeApi
  beforeAll(async () => {
    kube = await startCluster()
  })
  afterAll(() => kube.stop())
  beforeEach(async () => take({ kube, setup: await createOperatorSetup(kube, options) }))
}

let count = 0

/** A store, the owner of a team, a namespace of that team, and an operator that leads. It ends with the test. */
export async function createOperatorSetup(kube: KubeApi, more: Partial<OperatorOptions> = {}) {
  const setup = await openOperatorSetup(kube, more)
  onTestFinished(() => setup[Symbol.asyncDispose]())
  return setup
}

/** The same for more than one test: who opens it ends it. */
export async function openOperatorSetup(kube: KubeApi, more: Partial<OperatorOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-operator-'))
  const installation = await createInstallation()
  const owner = await installation.person('scale')
  let registry = new Registry()
  const namespace = await newNamespace()

  async function newNamespace(labels: Record<string, string> = { 'tidemark.dev/team': owner.teamId }) {
    const name = `shop-${(count += 1)}`
    await kube.call('POST', '/api/v1/namespaces', { metadata: { name, labels } })
    return name
  }

  const started = new Set<Operator>()
  /** Starts an operator; `stop` is called at the end of the test if the test does not. */
  async function start(options: Partial<OperatorOptions> = {}): Promise<Operator> {
    const client = createKubeClient(kube.kubeconfig)
    registry = new Registry()
    const inner = await startOperator({
      client,
      store: installation.store,
      secrets: createSecretBox(KEY),
      encryptionKey: KEY,
      egress: createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }),
      defaultTeam: null,
      namespace: 'default',
      secretRules: { requireLabel: true, own: [] },
      runners: null,
      registry,
      log: createLogger('silent'),
      times: TIMES,
      ...more,
      ...options,
    })
    const operator: Operator = {
      ...inner,
      async stop() {
        if (!started.delete(operator)) return
        await inner.stop()
        client.close()
      },
    }
    started.add(operator)
    return operator
  }
  let operator = await start()
  await operator.leading

  const path = (name: string, of = namespace) => `/apis/tidemark.dev/v1/namespaces/${of}/monitors/${name}`
  const read = async (name: string, of = namespace) => (await kube.call('GET', path(name, of))).body as CustomResource
  const condition = (resource: CustomResource, type: string) =>
    resource.status?.conditions?.find((one) => one.type === type)
  return {
    ...installation,
    kube,
    owner,
    namespace,
    newNamespace,
    folder,
    start,
    async restart(options: Partial<OperatorOptions> = {}) {
      await operator.stop()
      operator = await start(options)
      await operator.leading
    },
    stop: () => operator.stop(),
    operator: () => operator,
    async [Symbol.asyncDispose]() {
      for (const one of started) await one.stop()
      await installation.close()
      await rm(folder, { recursive: true, force: true })
    },
    path,
    read,
    condition,
    /** Applies a resource as a person does, and returns it. */
    async apply(
      name: string,
      spec: object = {},
      annotations: Record<string, string> = {},
      of = namespace,
      labels = {},
    ) {
      const body = {
        apiVersion: 'tidemark.dev/v1',
        kind: 'Monitor',
        metadata: { name, namespace: of, annotations, labels },
        spec: { ...RESOURCE_SPEC, ...spec },
      }
      const query = 'fieldManager=test&force=true'
      const answer = await kube.call('PATCH', `${path(name, of)}?${query}`, body, 'application/apply-patch+yaml')
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body as CustomResource
    },
    /** Waits for a condition with this reason, about the newest generation. */
    async until(name: string, type: string, reason: string, of = namespace): Promise<CustomResource> {
      const holds = (resource: CustomResource) => {
        const found = condition(resource, type)
        return found?.reason === reason && found.observedGeneration === resource.metadata.generation
      }
      return eventually(() => read(name, of), holds)
    },
    /** Asks for a run, and waits until the operator has handled that. */
    async requestRun(name: string, token: string, spec: object = {}): Promise<CustomResource> {
      await this.apply(name, spec, { [RUN_REQUESTED]: token })
      return eventually(
        () => read(name),
        ({ status }) => status?.lastHandledRequest?.startsWith(token.slice(0, 50)) === true,
      )
    },
    monitors: () => listMonitors(installation.store, PAGE_TABLE, { teamId: owner.teamId, limit: 100, offset: 0 }),
    stored: (id: string | undefined) => findMonitor(installation.store, owner.teamId, id ?? '', PAGE_TABLE),
    /** What the operator that was started last answers to Prometheus. */
    metrics: () => registry.metrics(),
    /** A figure of the operator that was started last. */
    async figure(name: string): Promise<number> {
      const metric = await registry.getSingleMetric(`tidemark_operator_${name}`)?.get()
      return metric?.values[0]?.value ?? 0
    },
    /** The Events in the namespace. */
    async events(): Promise<readonly SeenEvent[]> {
      const found = await kube.call('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`)
      return (found.body as { items: SeenEvent[] }).items
    },
  }
}

interface SeenEvent {
  readonly type: string
  readonly reason: string
  readonly action: string
  readonly note: string
  readonly eventTime: string
}
export type OperatorSetup = Awaited<ReturnType<typeof createOperatorSetup>>

/** A spec that the API accepts. */
const RESOURCE_SPEC = {
  name: 'Price of the kettle',
  url: 'https://shop.example/kettle?id=7',
  scheduleIntervalSeconds: 900,
  extractConfig: { method: 'css', fields: { price: '.price' } },
  diffPredicate: { type: 'any_field_changes' },
}
