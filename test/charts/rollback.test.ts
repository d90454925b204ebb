import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { eventually } from '../support/run/eventually.ts'
import { CHART, describeWithHelm, program, valuesFile } from './helm.ts'

const NAMESPACE = 'tidemark'
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`
/** Values with an object that no schema of the chart can judge. The API server refuses the second label. */
const withLabel = (label: string) => [
  '--set-json',
  `extraObjects=${JSON.stringify([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own', labels: { [label]: '1' } } },
  ])}`,
]
const ACCEPTED = withLabel('a-label')
const REFUSED = [...withLabel('not a label'), '--set=image.tag=refused']

interface Job {
  readonly metadata: { readonly name: string; readonly uid: string; readonly creationTimestamp: string }
  readonly spec: { readonly completions: number }
  readonly status: { readonly conditions?: readonly object[] }
}

/**
 * Helm against a real API server. No pod starts there, so that each setup goes on, as one does whose pod cannot start.
 * Of what controllers do, Helm waits for one thing only: a Job that asks for no pods is complete at once.
 */
describeWithHelm('A release whose upgrade the API server refused', () => {
  let kube: KubeApi
  beforeAll(async () => {
    kube = await startKubeApi()
  })
  afterAll(() => kube?.stop())

  const jobs = async () => (await kube.call('GET', JOBS)).body.items as readonly Job[]

  async function completeEmptyJobs(): Promise<void> {
    for (const { metadata, spec, status } of await jobs()) {
      if (spec.completions !== 0 || status.conditions) continue
      const at = metadata.creationTimestamp
      const condition = { status: 'True', lastTransitionTime: at, lastProbeTime: at }
      const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, ...condition }))
      const answer = await kube.call(
        'PATCH',
        `${JOBS}/${metadata.name}/status`,
        { metadata: { uid: metadata.uid }, status: { startTime: at, completionTime: at, conditions } },
        'application/merge-patch+json',
      )
      // Helm may have removed it meanwhile.
      expect([200, 404, 409], answer.body.message).toContain(answer.status)
    }
  }

  async function helm(...args: readonly string[]): Promise<{ readonly ok: boolean; readonly out: string }> {
    const ended = program('helm', ...args, '-n', NAMESPACE, '--kubeconfig', kube.kubeconfig, '--timeout', '60s')
    let isOver = false
    const over = ended.finally(() => (isOver = true))
    const look = async () => {
      await completeEmptyJobs()
      return isOver
    }
    await eventually(look, Boolean, { forMs: 120_000 })
    return over
  }
  const upgrade = (...args: readonly string[]) =>
    helm('upgrade', 'tidemark', CHART, '-f', valuesFile('try-out'), ...args)
  const rollBack = async (...revision: readonly string[]) => {
    const { ok, out } = await helm('rollback', 'tidemark', ...revision)
    expect(ok, out).toBe(true)
  }
  /** Returns the images of the Jobs that are there. */
  const images = async () => {
    const found = (await kube.call('GET', JOBS)).body.items
    return found.map((job: { spec: { template: { spec: { containers: { image: string }[] } } } }) =>
      job.spec.template.spec.containers.map(({ image }) => image).join(),
    )
  }

  test('is rolled back, forth and back again, and has the setup of that revision alone', async () => {
    const options = ['--create-namespace', '-f', valuesFile('try-out'), ...ACCEPTED]
    const installed = await helm('install', 'tidemark', CHART, ...options)
    expect(installed.ok, installed.out).toBe(true)
    expect(await images()).toEqual(['tidemark-service:0.1.0'])

    const isRefused = ({ ok, out }: { readonly ok: boolean; readonly out: string }) => {
      expect(ok, out).toBe(false)
      expect(out).toContain('Invalid value: "not a label"')
    }
    isRefused(await upgrade(...REFUSED))
    expect(await images()).toEqual(['tidemark-service:refused'])
    await rollBack()
    expect(await images()).toEqual(['tidemark-service:0.1.0'])
    // The revision before this one is the one that was refused, and is refused again.
    isRefused(await helm('rollback', 'tidemark'))
    await rollBack('1')
    expect(await images()).toEqual(['tidemark-service:0.1.0'])

    const upgraded = await upgrade(...ACCEPTED, '--set=image.tag=next')
    expect(upgraded.ok, upgraded.out).toBe(true)
    await rollBack()
    expect(await images()).toEqual(['tidemark-service:0.1.0'])
    await rollBack()
    expect(await images()).toEqual(['tidemark-service:next'])

    // After a refusal, an upgrade that is right is as good as a way back.
    isRefused(await upgrade(...REFUSED))
    const corrected = await upgrade(...ACCEPTED, '--set=image.tag=right')
    expect(corrected.ok, corrected.out).toBe(true)
    expect(await images()).toEqual(['tidemark-service:right'])
  })
})
