import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type Cluster, openCluster } from './cluster.ts'

const HOOK = new URL('crash-after-write.ts', import.meta.url).href
const JOBS = '/apis/batch/v1/namespaces/default/jobs'
const SECRETS = '/api/v1/namespaces/default/secrets'
const ENVIRONMENT = {
  TIDEMARK_RUNNER_TEMPLATE: 'tidemark-runner',
  TIDEMARK_RUNNER_SLOTS: '1',
  TIDEMARK_RUNNER_MAX: '1',
}
/** The writes of one start: the pod that is tried, the Job, the token, the Secret, and the release. */
const WRITES = ['the trial', 'the Job', 'the token', 'the Secret', 'the release']

interface Job {
  metadata: { name: string; uid: string }
  spec: { suspend: boolean }
}

describeWithApiServer('An operator that is killed while it starts a runner pod', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await openCluster()
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'runner', image: 'tidemark-runner:1' }] } }
    const body = { metadata: { name: 'tidemark-runner' }, template }
    await cluster.kube.call('POST', '/api/v1/namespaces/default/podtemplates', body)
    await cluster.installation.monitor(await cluster.installation.person(), { fetch_mode: 'browser' })
  })
  afterEach(async () => {
    await cluster.reset()
    await cluster.kube.call('DELETE', `${JOBS}?propagationPolicy=Background`)
    await cluster.kube.call('DELETE', SECRETS)
    await cluster.query('delete from runner_tokens')
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  const jobs = async () => (await cluster.kube.call('GET', JOBS)).body.items as Job[]
  const tokens = async () =>
    (await cluster.query<{ job: string }>('select job from runner_tokens where revoked_at is null')).map(
      ({ job }) => job.split('/').at(-1) ?? '',
    )
  /** Returns what there is of each runner: its Job, a token that works, and a Secret that belongs to the Job. */
  async function state() {
    // A Job is released after its token and its Secret are there, so it is read before them.
    const found = await jobs()
    const { items } = (await cluster.kube.call('GET', SECRETS)).body as {
      items: { metadata: { name: string; ownerReferences: { uid: string }[] } }[]
    }
    return {
      jobs: found.map(({ metadata, spec }) => ({ name: metadata.name, isReleased: !spec.suspend })),
      tokens: await tokens(),
      // What belongs to a Job that is gone, the cluster collects.
      secrets: items
        .filter(({ metadata }) => found.some((job) => job.metadata.uid === metadata.ownerReferences[0]?.uid))
        .map(({ metadata }) => metadata.name),
    }
  }

  test.each(WRITES.map((write, index) => [write, index + 1] as const))(
    'right after %s leaves one runner with one token, and nothing half done',
    async (_, point) => {
      const killed = await cluster.operator({
        ...ENVIRONMENT,
        NODE_OPTIONS: `--import=${HOOK}`,
        CRASH_AFTER_WRITE: String(point),
      })
      expect(await killed.exited).toBeNull()
      await cluster.endLease()
      await cluster.operator(ENVIRONMENT)
      const seen = await eventually(
        state,
        (now) => now.jobs.length === 1 && now.jobs[0]?.isReleased === true && now.tokens.length === 1,
        { forMs: 60_000 },
      )
      const name = seen.jobs[0]?.name ?? ''
      expect(seen).toEqual({ jobs: [{ name, isReleased: true }], tokens: [name], secrets: [name] })
    },
    120_000,
  )
})
