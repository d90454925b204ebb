import { readFile } from 'node:fs/promises'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMonitor } from '../../monitors/create-monitor.ts'
import { declareMonitor } from '../../monitors/declared/declare-monitor.ts'
import { deleteMonitor } from '../../monitors/delete-monitor.ts'
import { editMonitor } from '../../monitors/edit-monitor.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import { SEARCH } from '../../monitors/kinds/search-kind.ts'
import { pauseMonitor } from '../../monitors/pause-monitor.ts'
import { resumeMonitor } from '../../monitors/resume-monitor.ts'
import { MIRROR_TIMES } from '../../operator/operator-times.ts'
import type { CustomResource } from '../../operator/reconcile/custom-resource.ts'
import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { SEARCH_TABLE } from '../../store/monitors/kinds/search-table.ts'
import { findMonitor, listMonitors } from '../../store/monitors/monitors.ts'
import { listRuns } from '../../store/runs/runs.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { eventually } from '../support/run/eventually.ts'
import { operatorForEachTest, type OperatorSetup, TIMES } from './operator-setup.ts'

const SPEC = { name: 'Rank', keyword: 'electric kettle', targetDomain: 'example.com', scheduleIntervalSeconds: 3600 }
const ROW: SerpMonitorSpec = {
  name: 'rank',
  keyword: 'kettle',
  schedule_interval_seconds: 600,
  mode: 'rank_tracking',
  engine: 'bing',
  location_code: 'us',
  language_code: 'en',
  device: 'desktop',
  pages: 2,
  target_domain: 'example.com',
  rank_change_threshold: 3,
  deliveries: [{ type: 'webhook', url: 'https://hooks.example.com/a' }],
  notify_on: [],
  quiet_hours: null,
  message: null,
  digest: null,
  external_key: null,
  labels: {},
}

describeWithApiServer('An operator and the resources SerpMonitor', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ kube, setup } = opened))
  beforeEach(() => setup.sql(`update teams set serp = 'included' where tier = 'scale'`))

  const path = (name: string, of = setup.namespace) => `/apis/tidemark.dev/v1/namespaces/${of}/serpmonitors/${name}`
  const read = async (name: string, of?: string) => (await kube.call('GET', path(name, of))).body as CustomResource
  const stored = (id: string | undefined) => findMonitor(setup.store, setup.owner.teamId, id ?? '', SEARCH_TABLE)

  async function apply(name: string, spec: object, annotations: Record<string, string> = {}) {
    const metadata = { name, namespace: setup.namespace, annotations }
    const body = { apiVersion: 'tidemark.dev/v1', kind: 'SerpMonitor', metadata, spec }
    const query = 'fieldManager=test&force=true'
    return kube.call('PATCH', `${path(name)}?${query}`, body, 'application/apply-patch+yaml')
  }

  async function until(name: string, reason: string): Promise<CustomResource> {
    const holds = ({ status, metadata }: CustomResource) =>
      status?.conditions?.some(
        (one) => one.type === 'Ready' && one.reason === reason && one.observedGeneration === metadata.generation,
      ) === true
    return eventually(() => read(name), holds)
  }

  const actions = async () => (await setup.audit(setup.owner)).map((line) => (line as { action: string }).action)

  test('create, edit and delete the record, beside a Monitor of the same name', async () => {
    await setup.apply('kettle')
    await apply('kettle', SPEC)
    const { status } = await until('kettle', 'Scheduled')
    expect(status).toMatchObject({ observedGeneration: 1, address: 'electric kettle', interval: '1h' })
    expect(await stored(status?.id)).toMatchObject({
      keyword: 'electric kettle',
      target_domain: 'example.com',
      engine: 'google',
      managed_by: 'kubernetes',
    })
    const table = await kube.kubectl('get', 'serp', '-n', setup.namespace)
    expect(table).toMatch(/^NAME +READY +HEALTHY +KEYWORD +ENGINE +RANK +INTERVAL +LAST CHANGE +AGE\n/)
    expect(table).toMatch(/\nkettle +True +Unknown +electric kettle +google +1h/)
    await apply('kettle', { name: 'Rank', keyword: 'kettle', mode: 'full_analysis', scheduleIntervalSeconds: 600 })
    const edited = await eventually(
      () => stored(status?.id),
      (monitor) => monitor?.mode === 'full_analysis',
    )
    expect(edited).toMatchObject({ keyword: 'kettle', target_domain: null, schedule_interval_seconds: 600 })
    const page = await setup.until('kettle', 'Ready', 'Scheduled')
    await kube.kubectl('delete', 'serpmonitor', 'kettle', '-n', setup.namespace, '--timeout=15s')
    expect(await stored(status?.id)).toBeNull()
    expect(await setup.stored(page.status?.id)).toMatchObject({ managed_by: 'kubernetes' })
  })

  test('are refused by the server in words where a rule is broken', async () => {
    const faults = async (spec: object) => {
      const answer = await apply('wrong', spec)
      expect(answer.status).toBe(422)
      return (answer.body as { message: string }).message
    }
    expect(await faults({ ...SPEC, mode: 'full_analysis' })).toContain('targetDomain is not allowed with mode')
    expect(await faults({ ...SPEC, scheduleIntervalSeconds: 60 })).toContain('greater than or equal to 600')
    expect(await faults({ ...SPEC, locationCode: 'U1' })).toContain('the code of a country')
  })

  test('say that no country has a code, and take codes in upper case for those in lower case', async () => {
    await apply('market', { ...SPEC, locationCode: 'ZZ' })
    const refused = await until('market', 'Invalid')
    expect(JSON.stringify(refused.status)).toContain('spec.locationCode must be the code of a country')
    await apply('market', { ...SPEC, locationCode: 'GB', languageCode: 'EN' })
    const { status } = await until('market', 'Scheduled')
    expect(await stored(status?.id)).toMatchObject({ location_code: 'gb', language_code: 'en' })
  })

  test('are refused where they bring a webhook header that is never sent', async () => {
    const deliveries = [{ type: 'webhook', url: 'https://hooks.example/x', headers: { Expect: 'v' } }]
    await apply('headers', { ...SPEC, deliveries })
    const refused = await until('headers', 'Invalid')
    expect(JSON.stringify(refused.status)).toContain('spec.deliveries[0].headers.Expect belongs to the connection')
    await apply('headers', { ...SPEC, deliveries: [{ ...deliveries[0], headers: { 'x-a': 'v' } }] })
    await until('headers', 'Scheduled')
  })

  test('are warned of where more are scheduled than an exit can do in time', async () => {
    for (let at = 0; at < 18; at++)
      await apply(`kettle-${at}`, { ...SPEC, engine: 'yandex', scheduleIntervalSeconds: 600 })
    const events = await eventually(setup.events, (found) => found.some(({ reason }) => reason === 'ChecksLate'))
    expect(events.find(({ reason }) => reason === 'ChecksLate')?.note).toContain('More searches at Yandex')
    await until('kettle-17', 'Scheduled')
  })

  test('are warned of a threshold that nothing can meet, by an Event of its own', async () => {
    const { targetDomain: _, ...without } = SPEC
    await apply('no-target', { ...without, rankChangeThreshold: 3 })
    const events = await eventually(setup.events, (found) => found.some(({ reason }) => reason === 'NothingFires'))
    expect(events.find(({ reason }) => reason === 'NothingFires')?.note).toMatch(/^rankChangeThreshold .* targetDomain/)
    await until('no-target', 'Scheduled')
  })

  test('are suspended, run on request once, and refuse changes through the API', async () => {
    await apply('kettle', { ...SPEC, suspend: true })
    const { status } = await until('kettle', 'Suspended')
    const one = { ...setup.owner, id: status?.id ?? '', kind: 'serp' } as const
    expect(await stored(one.id)).toMatchObject({ suspended: true, next_run_at: null })
    const resource = `${setup.namespace}/kettle`
    const refused = await editMonitor(setup.context, SEARCH, { ...one, patch: { pages: 2 } })
    expect(refused).toMatchObject({ resource, resourceKind: 'SerpMonitor' })
    expect(await deleteMonitor(setup.context, SEARCH, one)).toMatchObject({ kind: 'managed', resource })
    expect(await resumeMonitor(setup.context, SEARCH, one)).toMatchObject({ kind: 'managed', act: 'resume' })
    expect(await pauseMonitor(setup.context, SEARCH, one)).toMatchObject({ kind: 'done' })
    expect(await resumeMonitor(setup.context, PAGE, one)).toMatchObject({ kind: 'not_found' })
    await apply('kettle', SPEC, { 'tidemark.dev/run-requested-at': 'now' })
    const handled = await eventually(
      () => read('kettle'),
      (found) => found.status?.lastHandledRequest === 'now',
    )
    expect(handled.status?.id).toBe(one.id)
    const runs = await listRuns(setup.store, { ...setup.owner, monitorId: one.id, kind: 'serp', limit: 5, offset: 0 })
    expect(runs).toMatchObject([{ status: 'running' }])
  })

  test('show the rank of their target, what changed, and that they paused themselves', async () => {
    await apply('kettle', SPEC)
    const { status } = await until('kettle', 'Scheduled')
    const id = status?.id ?? ''
    /** A check ends: its run is written as recording writes it, and the operator sees the newer instant. */
    const checked = (run: string, check: string) =>
      setup.sql(`
        with m as (select no, team_id from monitors where id = '${id}'),
        r as (
          insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, ${run.split(' values ')[0]})
          select no, new_run_id(clock(), no), team_id, 0, 5, ${run.split(' values ')[1]} from m
        )
        update checks set last_run_at = clock(), ${check} where no = (select no from m)`)
    const listed = 'status, fired, target_rank, rank_delta, organic_results'
    await checked(`${listed} values 'success', true, 3, 4, '[{}, {}]'`, 'failures = 0')
    const seen = async (what: (found: CustomResource) => boolean) => eventually(() => read('kettle'), what)
    const { status: ranked } = await seen((found) => found.status?.values !== undefined)
    expect(ranked).toMatchObject({
      values: { rank: '3', results: '2' },
      lastChange: { fields: [{ name: 'rank', before: '7', after: '3' }] },
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Healthy', reason: 'Succeeding' })]),
    })
    expect(await kube.kubectl('get', 'serp', 'kettle', '-n', setup.namespace)).toMatch(/google +3 +1h/)
    await checked(
      `status, error_code, error_message values 'error', 'blocked', 'Google refused.'`,
      'failures = 10, next_run_at = null, due_at = null',
    )
    await changeMonitors(setup, id, { paused: true })
    await setup.restart()
    const { status: paused } = await seen(
      (found) => found.status?.conditions?.some(({ reason }) => reason === 'AutoPaused') === true,
    )
    expect(paused?.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'Healthy',
          status: 'False',
          message: 'It paused itself after 10 failed checks. Google refused.',
        }),
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      ]),
    )
    expect(paused).toMatchObject({ values: { rank: '3' } })
  })

  test('take over a record of the API that its own manifest names, with its destinations from a Secret', async () => {
    const { secrets } = setup.context
    const made = await createMonitor(setup.context, SEARCH, { ...setup.owner, spec: ROW })
    if (made.kind !== 'done') throw new Error(made.kind)
    const { id } = made.monitor
    const declared = await declareMonitor({ store: setup.store, secrets }, SEARCH, { ...setup.owner, id })
    if (declared.kind !== 'done') throw new Error(declared.kind)
    const { manifest } = declared.declared
    expect(manifest).toMatchObject({
      kind: 'SerpMonitor',
      metadata: { name: 'rank', annotations: { 'tidemark.dev/adopt': id } },
      spec: { keyword: 'kettle', engine: 'bing', pages: 2, targetDomain: 'example.com', rankChangeThreshold: 3 },
    })
    expect(JSON.stringify(manifest)).not.toContain('hooks.example.com')
    await kube.call('POST', `/api/v1/namespaces/${setup.namespace}/secrets`, {
      metadata: { name: declared.name, labels: { 'tidemark.dev/monitors': 'true' } },
      stringData: { 'delivery-1-url': 'https://hooks.example.com/a' },
    })
    const { metadata, spec } = manifest as { metadata: { annotations: Record<string, string> }; spec: object }
    await apply('rank', spec, metadata.annotations)
    expect((await until('rank', 'Scheduled')).status?.id).toBe(id)
    expect(await stored(id)).toMatchObject({ managed_by: 'kubernetes', pages: 2 })
    expect(await actions()).toEqual(['serp_monitor.created'])
  })

  test('mirror the records of the API into labelled namespaces', async () => {
    const made = await createMonitor(setup.context, SEARCH, { ...setup.owner, spec: ROW })
    if (made.kind !== 'done') throw new Error(made.kind)
    const labels = { 'tidemark.dev/team': setup.owner.teamId, 'tidemark.dev/mirror': 'true' }
    const namespace = await setup.newNamespace(labels)
    // A sweep that meets a change of its own goes on in the next one.
    await setup.restart({ times: { ...TIMES, mirrors: { ...MIRROR_TIMES, everyMs: 50 } } })
    const list = async () =>
      (await kube.call('GET', `/apis/tidemark.dev/v1/namespaces/${namespace}/serpmonitors`)).body as {
        items: CustomResource[]
      }
    const { items } = await eventually(list, (found) => found.items.some(({ status }) => status?.id !== undefined))
    expect(items).toMatchObject([{ spec: { keyword: 'kettle', engine: 'bing' }, status: { id: made.monitor.id } }])
  })

  test('take the example', async () => {
    const text = await readFile(new URL('../../examples/serp-monitor.yaml', import.meta.url), 'utf8')
    const { kind, spec } = parse(text) as { kind: string; spec: object }
    expect(kind).toBe('SerpMonitor')
    expect((await apply('example', spec)).status).toBeLessThan(300)
    await until('example', 'Scheduled')
    const rows = await listMonitors(setup.store, SEARCH_TABLE, { teamId: setup.owner.teamId, limit: 10, offset: 0 })
    expect(rows).toMatchObject([{ keyword: 'electric kettle', rank_change_threshold: 3 }])
  })
})
