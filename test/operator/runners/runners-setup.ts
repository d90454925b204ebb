import { afterEach, beforeEach, expect } from 'vitest'
import { findLiveRunnerToken } from '../../../store/accounts/credentials/runner-tokens.ts'
import type { KubeApi } from '../../support/kubernetes/kube-api.ts'
import { eventually } from '../../support/run/eventually.ts'
import { operatorForEachTest, type OperatorSetup, TIMES } from '../operator-setup.ts'

export const TEMPLATE = 'tidemark-runner'
export const JOBS = '/apis/batch/v1/namespaces/default/jobs'
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}
export const PODS = { template: TEMPLATE, slots: 2, max: 3, checks: 7, lifetimeSeconds: 600, startSeconds: 300 }
export const FAST = { everyMs: 50, unseenMs: 30_000, pauses: { firstMs: 50, longestMs: 200 } }

interface Job {
  metadata: { name: string; uid: string; labels: Record<string, string>; ownerReferences: object[] }
  spec: { suspend: boolean; template: { spec: { containers: object[]; volumes: object[] } } }
  status?: object
}

/** What tests read of an Event. */
export interface Warning {
  readonly reason: string
  readonly note: string
  readonly regarding: { readonly kind: string; readonly name: string }
  readonly series?: { readonly count: number }
}

/** A minute ago. */
export const AT = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, '')

/**
 * An operator that starts runner pods, for each test of a file, beside a real API server. The test plays the Job's
 * controller and the kubelet.
 */
export function runnersForEachTest(take: (opened: { readonly kube: KubeApi; readonly setup: OperatorSetup }) => void) {
  let kube: KubeApi
  let setup: OperatorSetup
  const options = { runners: PODS, times: { ...TIMES, runners: FAST } }
  operatorForEachTest((opened) => {
    ;({ kube, setup } = opened)
    take(opened)
  }, options)

  beforeEach(() => template())
  afterEach(async () => {
    await setup.stop()
    await kube.call('DELETE', `${JOBS}?propagationPolicy=Background`)
    await kube.call('DELETE', '/api/v1/namespaces/default/secrets')
    await kube.call('DELETE', '/api/v1/namespaces/default/pods?gracePeriodSeconds=0')
    await kube.call('DELETE', '/apis/events.k8s.io/v1/namespaces/default/events')
    await kube.call('DELETE', '/api/v1/namespaces/default/resourcequotas/none')
    await label(null)
  })

  /** Makes the PodTemplate anew, with these differences of its container. */
  async function template(container: object = {}): Promise<void> {
    const path = '/api/v1/namespaces/default/podtemplates'
    await kube.call('DELETE', `${path}/${TEMPLATE}`)
    const runner = { name: 'runner', image: 'tidemark-runner:1', securityContext: RESTRICTED, ...container }
    const containers = [runner, { ...runner, name: 'browser', securityContext: RESTRICTED }]
    const metadata = { labels: { 'app.kubernetes.io/component': 'runner' } }
    const body = { metadata: { name: TEMPLATE }, template: { metadata, spec: { restartPolicy: 'Never', containers } } }
    expect((await kube.call('POST', path, body)).status).toBe(201)
  }

  const label = (level: string | null) =>
    kube.call(
      'PATCH',
      '/api/v1/namespaces/default',
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': level } } },
      'application/merge-patch+json',
    )
  const jobs = async () => (await kube.call('GET', JOBS)).body.items as Job[]
  const released = async () => (await jobs()).filter(({ spec }) => !spec.suspend)
  const jobsAre = (count: number) => eventually(released, (found) => found.length === count)
  const wait = (mode: 'browser' | 'auto', count: number) =>
    Promise.all(Array.from({ length: count }, () => setup.monitor(setup.owner, { fetch_mode: mode })))
  /** Plays the Job controller. */
  async function status(name: string, of: object): Promise<void> {
    const answer = await kube.call('PATCH', `${JOBS}/${name}/status`, { status: of }, 'application/merge-patch+json')
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  }
  const condition = (type: string, reason: string, message = '') => ({
    type,
    status: 'True',
    reason,
    message,
    lastProbeTime: AT,
    lastTransitionTime: AT,
  })
  const complete = (name: string) =>
    status(name, {
      startTime: AT,
      completionTime: AT,
      succeeded: 1,
      conditions: [condition('SuccessCriteriaMet', 'CompletionsReached'), condition('Complete', 'CompletionsReached')],
    })
  const fail = (name: string, reason: string, message: string) =>
    status(name, {
      startTime: AT,
      failed: 1,
      conditions: [condition('FailureTarget', reason, message), condition('Failed', reason, message)],
    })
  let pods = 0
  /** Makes a pod of a Job with this status, as the Job's controller and a kubelet do. */
  async function podOf(job: string, of: object): Promise<string> {
    const path = '/api/v1/namespaces/default/pods'
    const name = `${job}-p${(pods += 1)}`
    const metadata = { name, labels: { 'batch.kubernetes.io/job-name': job } }
    const spec = { containers: [{ name: 'runner', image: 'tidemark-runner:1' }] }
    expect((await kube.call('POST', path, { metadata, spec })).status).toBe(201)
    const answer = await kube.call('PATCH', `${path}/${name}/status`, { status: of }, 'application/merge-patch+json')
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return name
  }
  async function tokenOf(name: string) {
    const secret = await kube.call('GET', `/api/v1/namespaces/default/secrets/${name}`)
    const text = Buffer.from(secret.body.data.token, 'base64').toString()
    return { secret: secret.body, text, live: await findLiveRunnerToken(setup.store, text) }
  }
  const events = async () =>
    (await kube.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events')).body.items as Warning[]
  const warnings = async () =>
    (await events()).map(({ reason, note, regarding }) => `${regarding.kind} ${reason}: ${note}`)
  const warned = (pattern: RegExp) => eventually(warnings, (found) => found.some((text) => pattern.test(text)))
  return { template, label, jobs, released, jobsAre, wait, status, complete, fail, podOf, tokenOf, events, warned }
}
