import { sql } from 'slonik'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import { pauseMonitor } from '../../monitors/pause-monitor.ts'
import { resumeMonitor } from '../../monitors/resume-monitor.ts'
import { row } from '../../store/db/row.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { endCheck, failTimes } from '../support/database/check-states.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { eventually } from '../support/run/eventually.ts'
import { operatorForEachTest, type OperatorSetup } from './operator-setup.ts'

describeWithApiServer('A resource whose monitor does not run', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ kube, setup } = opened))

  const waits = (name: string) =>
    kube.kubectl('wait', '--for=condition=Ready', `monitor/${name}`, '-n', setup.namespace, '--timeout=10s')
  const useUp = () =>
    setup.sql(`update team_usage set runs_used = runs_limit, credits = 0, resets_at = '2040-01-01T00:00:00Z'
      where team_id = '${setup.owner.teamId}'`)

  test('is ready while the team has no runs, and says when there are new ones', async () => {
    await useUp()
    await setup.apply('kettle')
    const resource = await setup.until('kettle', 'Healthy', 'OutOfRuns')
    expect(await waits('kettle')).toContain('met')
    expect(setup.condition(resource, 'Healthy')).toMatchObject({
      status: 'False',
      message: 'The team has used its runs. There are new ones at 2040-01-01T00:00:00.000Z.',
    })
  })

  test('is ready while it is suspended, paused through the API, or not in the plan', async () => {
    await setup.apply('suspended', { suspend: true })
    await setup.apply('paused')
    await setup.apply('locked')
    const { status } = await setup.until('paused', 'Ready', 'Scheduled')
    await setup.until('suspended', 'Ready', 'Suspended')
    await setup.until('locked', 'Ready', 'Scheduled')
    await pauseMonitor(setup.context, PAGE, { ...setup.owner, id: status?.id ?? '' })
    await changeMonitors(setup, { resource: 'locked' }, { locked: true })
    // A change of the resource is a reason to look at once.
    for (const name of ['paused', 'locked']) await setup.apply(name, { scheduleIntervalSeconds: 600 })
    const paused = await setup.until('paused', 'Healthy', 'Paused')
    const locked = await setup.until('locked', 'Healthy', 'BillingPaused')
    expect(setup.condition(paused, 'Healthy')?.status).toBe('Unknown')
    expect(setup.condition(locked, 'Healthy')?.status).toBe('False')
    for (const name of ['suspended', 'paused', 'locked']) expect(await waits(name)).toContain('met')
  })

  test('that is refused shows what its monitor does, which goes on with the configuration before', async () => {
    await setup.apply('kettle')
    const { status } = await setup.until('kettle', 'Ready', 'Scheduled')
    await setup.apply('kettle', { extractConfig: { method: 'css', fields: { price: 'b[[' } } })
    await setup.until('kettle', 'Ready', 'Invalid')
    await failTimes(setup, status?.id ?? '', 5)
    const refused = await setup.until('kettle', 'Healthy', 'Failing')
    expect(setup.condition(refused, 'Ready')).toMatchObject({ status: 'False', reason: 'Invalid' })
    expect(setup.condition(refused, 'Stalled')).toMatchObject({ status: 'True' })
    const told = async () => (await setup.events()).map(({ reason }) => reason).toSorted()
    expect(await eventually(told, (all) => all.length === 3)).toEqual(['Created', 'Failing', 'Invalid'])
  })

  test('shows within seconds that somebody paused or resumed it, and that the runs are used', async () => {
    await setup.apply('kettle')
    const { status } = await setup.until('kettle', 'Healthy', 'NeverRun')
    const one = { ...setup.owner, id: status?.id ?? '' }
    await pauseMonitor(setup.context, PAGE, one)
    await setup.until('kettle', 'Healthy', 'Paused')
    await resumeMonitor(setup.context, PAGE, one)
    await setup.until('kettle', 'Healthy', 'NeverRun')
    await useUp()
    await setup.until('kettle', 'Healthy', 'OutOfRuns')
  })

  test('shows no times of runs, which are past when somebody reads them, nor those of an earlier version', async () => {
    await setup.apply('kettle')
    await setup.until('kettle', 'Healthy', 'NeverRun')
    const old = { lastRunTime: '2026-05-01T12:00:00.000Z', nextRunTime: '2026-05-01T12:15:00.000Z' }
    const status = { ...old, consecutiveFailures: 3 }
    await kube.call('PATCH', `${setup.path('kettle')}/status`, { status }, 'application/merge-patch+json')
    await endCheck(setup, 'all')
    await setup.restart()
    const after = await eventually(
      () => setup.read('kettle'),
      (resource) => !('lastRunTime' in (resource.status ?? {})),
    )
    for (const key of Object.keys(status)) expect(after.status).not.toHaveProperty(key)
    const written = (await setup.until('kettle', 'Healthy', 'Succeeding')).metadata.resourceVersion
    // Another run alone is a reason to look, and none to write.
    const looks = async () =>
      Number(/reconcile_seconds_count{kind="Monitor",outcome="done"} (\d+)/.exec(await setup.metrics())?.[1])
    const before = await looks()
    await endCheck(setup, 'all', 60)
    await eventually(looks, (now) => now > before)
    expect((await setup.read('kettle')).metadata.resourceVersion).toBe(written)
  })

  test('is not said to succeed before a check has', async () => {
    await setup.apply('kettle')
    await setup.until('kettle', 'Ready', 'Scheduled')
    const checked = (failures: number) => failTimes(setup, { resource: 'kettle' }, failures)
    await checked(1)
    await setup.apply('kettle', { scheduleIntervalSeconds: 600 })
    const waiting = await setup.until('kettle', 'Healthy', 'NoSuccess')
    expect(setup.condition(waiting, 'Healthy')?.status).toBe('Unknown')
    await checked(0)
    await setup.apply('kettle', { scheduleIntervalSeconds: 900 })
    await setup.until('kettle', 'Healthy', 'Succeeding')
  })

  test('repeats a request for a run that was refused, and says why in an Event', async () => {
    await setup.apply('kettle')
    await setup.until('kettle', 'Ready', 'Scheduled')
    await useUp()
    const { status } = await setup.requestRun('kettle', 'now')
    expect(status?.lastHandledRequest).toBe('now')
    const events = await eventually(setup.events, (found) => found.some(({ reason }) => reason === 'RunRefused'))
    expect(events.find(({ reason }) => reason === 'RunRefused')?.note).toBe(
      'The run that was asked for did not begin: the team has used its runs. There are new ones at ' +
        '2040-01-01T00:00:00.000Z; then ask with a new value.',
    )
    await setup.until('kettle', 'Healthy', 'OutOfRuns')
  })

  test('handles a request with a very long value once', async () => {
    await setup.apply('kettle', { suspend: true })
    await setup.until('kettle', 'Ready', 'Suspended')
    const token = 'x'.repeat(2_000)
    const { status } = await setup.requestRun('kettle', token, { suspend: true })
    expect(status?.lastHandledRequest?.length).toBeLessThanOrEqual(200)
    const other = await setup.requestRun('kettle', `${token}y`, { suspend: true })
    await eventually(
      () => setup.read('kettle'),
      (resource) => resource.status?.lastHandledRequest !== status?.lastHandledRequest,
    )
    expect(other.metadata.name).toBe('kettle')
  })

  test.each([
    ['NUL, which the store cannot keep', 'now\u0000'],
    ['a character at the place where it is cut', `${'x'.repeat(99)}${'\u{1F600}'.repeat(100)}`],
  ])('handles a request with %s once, also after a restart', async (_, token) => {
    const suspended = { suspend: true }
    await setup.apply('kettle', suspended)
    const { status } = await setup.until('kettle', 'Ready', 'Suspended')
    await setup.apply('kettle', suspended, { 'tidemark.dev/run-requested-at': token })
    const handled = await eventually(
      () => setup.read('kettle'),
      (resource) => resource.status?.lastHandledRequest !== undefined,
    )
    const asked = () =>
      setup.store.any(sql.type(row({ metadata: Type.Unknown() }))`
        select metadata from audit_events where action = 'monitor.run_triggered' and target_id = ${status?.id ?? ''}`)
    expect(await asked()).toHaveLength(1)
    await setup.restart()
    await setup.apply('other')
    await setup.until('other', 'Ready', 'Scheduled')
    expect(await asked()).toHaveLength(1)
    const now = await setup.read('kettle')
    expect(now.metadata.resourceVersion).toBe(handled.metadata.resourceVersion)
    expect(now.status?.id).toBe(status?.id)
  })
})
