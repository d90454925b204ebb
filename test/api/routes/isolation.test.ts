import { sql } from 'slonik'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMonitor } from '../../../monitors/create-monitor.ts'
import { editMonitor } from '../../../monitors/edit-monitor.ts'
import { PAGE } from '../../../monitors/kinds/page-kind.ts'
import { nothing } from '../../../store/db/row.ts'
import { noteRunnerPods } from '../../../store/queue/isolated-checks.ts'
import { MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { SPEC } from '../../support/api/monitor-spec.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { createInstallation, type Installation } from '../../support/database/installation.ts'

let served: ServedApi
let installation: Installation
beforeAll(async () => {
  ;[served, installation] = await Promise.all([serveApi(), createInstallation()])
})
afterAll(() => Promise.all([served.close(), installation.close()]))

const ISOLATED = { isolation: 'pod', fetch_mode: 'browser' } as const

test('a monitor shares processes unless it is said otherwise', async () => {
  expect((await served.me.post('/v1/monitors', MONITOR)).body).toMatchObject({ isolation: 'shared' })
})

test('a pod of its own is refused where no operator starts any, with the path and the reason', async () => {
  const refused = await served.me.post('/v1/monitors', { ...MONITOR, ...ISOLATED })
  expect(refused).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringContaining('only where an operator starts runner pods') } },
  })
  expect(pathsOf(refused)).toEqual(['isolation'])
  const { body } = await served.me.post('/v1/monitors', MONITOR)
  const edited = await served.me.patch(`/v1/monitors/${body.id}`, ISOLATED)
  expect(edited.status).toBe(422)
  expect(pathsOf(edited)).toEqual(['isolation'])
})

test('a pod of its own needs a page that is always rendered', async () => {
  const refused = await served.me.post('/v1/monitors', { ...MONITOR, isolation: 'pod' })
  expect(refused).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringContaining('set fetch_mode to browser') } },
  })
})

test('where an operator starts runner pods it is stored, and can be taken back when the operator is gone', async () => {
  const { store, context } = installation
  const me = await installation.person()
  await store.query(sql.type(nothing)`insert into operator_epochs (cluster_id, epoch) values ('a', 3)`)
  await noteRunnerPods(store, 'a', 2)
  const spec = { ...SPEC, ...ISOLATED }
  expect(await createMonitor(context, PAGE, { ...me, spec })).toMatchObject({ kind: 'invalid' })
  await noteRunnerPods(store, 'a', 3)
  const made = await createMonitor(context, PAGE, { ...me, spec })
  expect(made).toMatchObject({ kind: 'done', monitor: { isolation: 'pod' } })
  await store.query(sql.type(nothing)`update operator_epochs set runners_seen_at = clock() - interval '3 minutes'`)
  const id = made.kind === 'done' ? made.monitor.id : ''
  const edit = (patch: object) => editMonitor(context, PAGE, { ...me, id, patch })
  expect(await edit({ name: 'Renamed' })).toMatchObject({ kind: 'done', monitor: { isolation: 'pod' } })
  expect(await edit({ isolation: 'shared' })).toMatchObject({ kind: 'done', monitor: { isolation: 'shared' } })
  expect(await edit({ isolation: 'pod' })).toMatchObject({ kind: 'invalid' })
})
