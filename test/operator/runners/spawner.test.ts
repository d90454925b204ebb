import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createKubeClient } from '../../../operator/cluster/kube-client.ts'
import { findLiveRunnerToken, noteUnsandboxed } from '../../../store/accounts/credentials/runner-tokens.ts'
import type { KubeApi } from '../../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'
import { eventually } from '../../support/run/eventually.ts'
import { createFaultyKube } from '../cluster/faulty-kube.ts'
import { operatorForEachTest, type OperatorSetup, TIMES } from '../operator-setup.ts'
import { AT, FAST, JOBS, PODS, runnersForEachTest, TEMPLATE, type Warning } from './runners-setup.ts'

describeWithApiServer('An operator that starts runner pods', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  const { template, label, jobs, released, jobsAre, wait, status, complete, fail, tokenOf, events, warned } =
    runnersForEachTest((opened) => ({ kube, setup } = opened))

  test('starts one for a check that needs a browser, with a token of its own, and none for the others', async () => {
    await wait('auto', 3)
    await wait('browser', 1)
    const [job] = await jobsAre(1)
    const name = job?.metadata.name ?? ''
    expect(name).toMatch(/^tidemark-runner-\w+-1$/)
    expect(job).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'PodTemplate', name: TEMPLATE, uid: expect.any(String) }] },
      spec: {
        parallelism: 1,
        backoffLimit: 0,
        activeDeadlineSeconds: 720,
        ttlSecondsAfterFinished: 120,
        podReplacementPolicy: 'Failed',
        podFailurePolicy: {
          rules: [
            { action: 'FailJob', onExitCodes: { containerName: 'runner', operator: 'In', values: [77] } },
            { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
          ],
        },
        template: {
          metadata: { labels: { 'app.kubernetes.io/component': 'runner' } },
          spec: {
            restartPolicy: 'Never',
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            containers: [
              {
                name: 'runner',
                env: [
                  { name: 'TIDEMARK_BROWSER_PAGES', value: '2' },
                  { name: 'TIDEMARK_RUNNER_TOKEN_FILE', value: '/run/tidemark/token' },
                ],
                volumeMounts: [{ name: 'runner-token', mountPath: '/run/tidemark', readOnly: true }],
              },
              // The browser has no token.
              { name: 'browser' },
            ],
            volumes: [{ name: 'runner-token', secret: { secretName: name } }],
          },
        },
      },
    })
    expect(JSON.stringify(job?.spec.template.spec.containers[1])).not.toContain('token')
    const { secret, live } = await tokenOf(name)
    expect(secret.metadata.ownerReferences).toMatchObject([{ kind: 'Job', name, uid: job?.metadata.uid }])
    expect(live).toMatchObject({ claimsLeft: 7, job: expect.stringMatching(new RegExp(`/default/.*/${name}$`)) })
    expect(live?.livesMs).toBeLessThanOrEqual(600_000)
    expect(await jobs()).toHaveLength(1)
  })

  test('starts as many as the checks need, up to the limit, and none when nothing waits', async () => {
    expect(await setup.figure('runners_wanted')).toBe(0)
    await wait('browser', 3)
    await jobsAre(2)
    await wait('browser', 9)
    await jobsAre(3)
    await eventually(
      () => setup.figure('runners'),
      (count) => count === 3,
    )
    expect(await jobs()).toHaveLength(3)
  })

  test('revokes the token when the Job has ended, and starts another while checks wait', async () => {
    await wait('browser', 1)
    const [first] = await jobsAre(1)
    const { text } = await tokenOf(first?.metadata.name ?? '')
    await complete(first?.metadata.name ?? '')
    await eventually(
      () => findLiveRunnerToken(setup.store, text),
      (live) => live === null,
    )
    await jobsAre(2)
  })

  test('says why a pod failed, and starts another one after a pause', async () => {
    await wait('browser', 1)
    const [first] = await jobsAre(1)
    await fail(first?.metadata.name ?? '', 'PodFailurePolicy', 'Container runner failed with exit code 77.')
    await warned(/^Job RunnerFailed: .*PodFailurePolicy.*exit code 77/)
    await jobsAre(2)
    expect(await setup.figure('runner_failures_total')).toBe(1)
  })

  test('counts pods that fail together as one failure', async () => {
    const pauses = { firstMs: 4_000, longestMs: 600_000 }
    await setup.restart({ runners: { ...PODS, max: 5 }, times: { ...TIMES, runners: { ...FAST, pauses } } })
    await wait('browser', 10)
    const found = await jobsAre(5)
    await Promise.all(found.map(({ metadata }) => fail(metadata.name, 'BackoffLimitExceeded', 'The node is gone.')))
    await eventually(released, (all) => all.length === 10, { forMs: 30_000 })
    expect(await setup.figure('runner_failures_total')).toBe(5)
  })

  test('ends the pause after a failure when another pod completes', async () => {
    const pauses = { firstMs: 600_000, longestMs: 600_000 }
    await setup.restart({ times: { ...TIMES, runners: { ...FAST, pauses } } })
    await wait('browser', 3)
    const [failed, completed] = await jobsAre(2)
    await fail(failed?.metadata.name ?? '', 'BackoffLimitExceeded', 'It ended.')
    await warned(/^Job RunnerFailed/)
    await complete(completed?.metadata.name ?? '')
    await jobsAre(4)
  })

  test('keeps a pod that ran and does not run now: it was evicted, or is about to end', async () => {
    await setup.restart({ runners: { ...PODS, startSeconds: 30 } })
    await wait('browser', 1)
    const [first] = await jobsAre(1)
    const name = first?.metadata.name ?? ''
    await status(name, { startTime: AT, active: 1, ready: 1 })
    await status(name, { startTime: AT, active: 1, ready: 0 })
    // Each new leader sees it only so.
    for (const count of [2, 3]) {
      await setup.restart({ runners: { ...PODS, startSeconds: 30 } })
      await wait('browser', 2)
      await jobsAre(count)
    }
    expect((await jobs()).map(({ metadata }) => metadata.name)).toContain(name)
    expect((await tokenOf(name)).live).not.toBeNull()
  })

  test('counts a pod that it started for as long as the watch is silent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-spawner-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const faulty = await createFaultyKube(kube, folder)
    onTestFinished(() => faulty[Symbol.asyncDispose]())
    const client = createKubeClient(faulty.kubeconfig)
    onTestFinished(() => client.close())
    faulty.spoil(/batch.*watch=true/, { kind: 'stall' })
    await setup.restart({ client, times: { ...TIMES, runners: { ...FAST, unseenMs: 50 } } })
    await wait('browser', 1)
    const [first] = await jobsAre(1)
    await wait('browser', 3)
    await jobsAre(2)
    expect((await tokenOf(first?.metadata.name ?? '')).live).not.toBeNull()
    await setup.stop()
  })

  test('gives up a pod that does not start, and says so', async () => {
    await setup.restart({ runners: { ...PODS, startSeconds: 1 } })
    await setup.apply('kettle', { fetchMode: 'browser' })
    const [first] = await jobsAre(1)
    const name = first?.metadata.name ?? ''
    const { text } = await tokenOf(name)
    await status(name, { startTime: AT, active: 1, ready: 0 })
    await eventually(jobs, (found) => found.every(({ metadata }) => metadata.name !== name))
    await eventually(
      () => findLiveRunnerToken(setup.store, text),
      (live) => live === null,
    )
    await warned(/^Job RunnerNotStarted: Its pod did not start within 1 s/)
    const waiting = await setup.until('kettle', 'Healthy', 'NoRunners')
    expect(setup.condition(waiting, 'Healthy')).toMatchObject({
      status: 'Unknown',
      message: expect.stringMatching(/^Its check waits for a runner pod.*did not start within 1 s; the events of pods/),
    })
    // The next one has been created, which says nothing: it is one that runs.
    const [next] = await jobsAre(1)
    expect(setup.condition(await setup.read('kettle'), 'Healthy')).toMatchObject({ reason: 'NoRunners' })
    await status(next?.metadata.name ?? '', { startTime: AT, active: 1, ready: 1 })
    await setup.until('kettle', 'Healthy', 'NeverRun')
  })

  test('starts one for each check that is to have a pod of its own, with a token for that check alone', async () => {
    const isolated = { fetch_mode: 'browser', isolation: 'pod' } as const
    const monitors = [await setup.monitor(setup.owner, isolated), await setup.monitor(setup.owner, isolated)]
    const found = await jobsAre(2)
    const numbers = found.map(({ metadata }) => Number(metadata.labels['tidemark.dev/check']))
    expect(new Set(numbers)).toEqual(new Set(monitors.map(({ no }) => no)))
    for (const [index, { metadata, spec }] of found.entries()) {
      expect(JSON.stringify(spec)).toContain('{"name":"TIDEMARK_BROWSER_PAGES","value":"1"}')
      expect((await tokenOf(metadata.name)).live).toMatchObject({ claimsLeft: 1, checkNo: numbers[index] })
    }
    // They are no capacity for the other checks.
    await wait('browser', 1)
    expect((await jobsAre(3)).filter(({ metadata }) => metadata.labels['tidemark.dev/check'])).toHaveLength(2)
  })

  test('says once of its PodTemplate that browsers have no sandbox, and counts such pods', async () => {
    await wait('browser', 3)
    for (const { metadata } of await jobsAre(2)) {
      const { live } = await tokenOf(metadata.name)
      await noteUnsandboxed(setup.store, live?.id ?? 0)
    }
    const said = (found: readonly Warning[]) => found.filter(({ reason }) => reason === 'BrowserUnsandboxed')
    const counted = await eventually(events, (found) => said(found).some(({ series }) => series?.count === 2))
    expect(said(counted)).toEqual([
      expect.objectContaining({
        note: expect.stringMatching(/^Browsers run without their own sandbox.*Set runner\.seccompProfile/),
        regarding: expect.objectContaining({ kind: 'PodTemplate', name: TEMPLATE }),
      }),
    ])
  })

  test('creates no Job whose pod the security standard of the namespace refuses, and says so', async () => {
    await label('restricted')
    await template({ securityContext: {} })
    await setup.apply('kettle', { fetchMode: 'browser' })
    await warned(/^PodTemplate PodSecurityRefused: Checks that need a browser wait\..*violates PodSecurity/)
    expect(await jobs()).toEqual([])
    const waiting = await setup.until('kettle', 'Healthy', 'NoRunners')
    expect(setup.condition(waiting, 'Healthy')).toMatchObject({
      status: 'Unknown',
      message: expect.stringMatching(/^Its check waits for a runner pod.*violates PodSecurity/),
    })
    expect(setup.condition(waiting, 'Ready')).toMatchObject({ status: 'True', reason: 'Scheduled' })
    // It goes on by itself when the cause is gone.
    await label(null)
    await jobsAre(1)
    await setup.until('kettle', 'Healthy', 'NeverRun')
  })

  test('creates no Job whose pod a quota refuses, and says so', async () => {
    const path = '/api/v1/namespaces/default/resourcequotas'
    await kube.call('POST', path, { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } })
    const full = { status: { hard: { pods: '0' }, used: { pods: '0' } } }
    await kube.call('PATCH', `${path}/none/status`, full, 'application/merge-patch+json')
    await wait('browser', 1)
    await warned(/^PodTemplate QuotaExceeded: Checks that need a browser wait\..*exceeded quota/)
    expect(await jobs()).toEqual([])
    expect(await setup.figure('runner_refusals_total')).toBeGreaterThan(0)
  })

  test('removes a Job that a killed leader left suspended, and revokes its token', async () => {
    await setup.stop()
    await wait('browser', 1)
    const left = {
      metadata: { name: 'tidemark-runner-0-1', labels: { 'tidemark.dev/runners': TEMPLATE } },
      spec: {
        suspend: true,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'runner', image: 'x' }] } },
      },
    }
    const other = { ...left, metadata: { name: 'of-somebody-else' } }
    for (const job of [left, other]) expect((await kube.call('POST', JOBS, job)).status).toBe(201)
    await setup.restart()
    await jobsAre(1)
    const names = (await jobs()).map(({ metadata }) => metadata.name)
    expect(names).toHaveLength(2)
    expect(names).toContain('of-somebody-else')
    expect(names).not.toContain('tidemark-runner-0-1')
  })

  test('starts nothing as long as it does not lead', async () => {
    const other = await setup.start({ times: { ...TIMES, runners: FAST } })
    await wait('browser', 1)
    await jobsAre(1)
    await setup.stop()
    await other.leading
    // The one that leads now counts what the other one has started.
    await wait('browser', 2)
    await jobsAre(2)
    expect(await jobs()).toHaveLength(2)
    await other.stop()
  })
})

describeWithApiServer('An operator that starts no runner pods', () => {
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ setup } = opened))

  test('refuses a resource that asks for a pod of its own, with the reason', async () => {
    await setup.apply('kettle', { isolation: 'pod', fetchMode: 'browser' })
    const refused = await setup.until('kettle', 'Ready', 'Invalid')
    expect(setup.condition(refused, 'Ready')?.message).toBe(
      'spec.isolation can be pod only where the operator starts runner pods; see docs/runners.md',
    )
  })
})
