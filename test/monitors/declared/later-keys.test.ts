import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyResources } from '../../../monitors/declared/apply-resource.ts'
import type { Declaration } from '../../../monitors/declared/declaration.ts'
import { editMonitor } from '../../../monitors/edit-monitor.ts'
import type { Kind } from '../../../monitors/kinds/kind.ts'
import { PAGE } from '../../../monitors/kinds/page-kind.ts'
import { refusalOf } from '../../../operator/reconcile/refusal.ts'
import { SYSTEM } from '../../../schema/account/audit.ts'
import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { row } from '../../../store/db/row.ts'
import type { MonitorRow } from '../../../store/monitors/kinds/page-table.ts'
import { insertMonitors } from '../../../store/monitors/monitor-create.ts'
import { findMonitor } from '../../../store/monitors/monitors.ts'
import { SPEC } from '../../support/api/monitor-spec.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { createInstallation, type Installation, type Person } from '../../support/database/installation.ts'

let cases: Installation
let person: Person
beforeAll(async () => {
  cases = await createInstallation()
  person = await cases.person()
})
afterAll(() => cases.close())

const declaration = (more: Partial<Declaration> = {}): Declaration => ({
  teamId: person.teamId,
  userId: person.userId,
  actor: SYSTEM,
  resource: { clusterId: 'c', kind: 'page', namespace: 'shop', name: 'kettle' },
  state: { uid: randomUUID(), generation: 1, hash: randomBytes(32), lastRequest: null },
  suspend: false,
  adopts: null,
  spec: SPEC,
  ...more,
})
const stored = async (id: string) => {
  const found = await findMonitor(cases.store, person.teamId, id, PAGE.table)
  if (found === null) throw new Error('no monitor')
  return found
}

test('a record with keys of a later version is left alone by the manifest of this one', async () => {
  const [made] = await applyResources(cases.context, [declaration()])
  if (made?.kind !== 'applied') throw new Error(made?.kind)
  const { id } = made.monitor
  await changeMonitors(cases, id, { diffPredicate: { type: 'any_field_changes', later: 1 } })
  const before = await stored(id)
  const [refused] = await applyResources(cases.context, [declaration({ spec: { ...SPEC, name: 'Pot' } })])
  expect(refused).toEqual({ kind: 'later_keys', name: SPEC.name, paths: ['diff_predicate.later'] })
  if (refused?.kind !== 'later_keys') throw new Error('it was applied')
  expect(refusalOf(refused, null, 'c')).toMatchObject({
    reason: 'LaterVersion',
    message: expect.stringMatching(/wrote diff_predicate\.later .* Upgrade the operator/),
  })
  expect(await stored(id)).toEqual(before)
})

const fenced = row({ fence: Type.Integer(), level: Type.Integer() })

/** Monitors whose next configuration needs this level. */
const atLevel = (level: number): Kind<MonitorSpec, MonitorRow> => ({
  ...PAGE,
  table: { ...PAGE.table, check: (spec) => ({ ...PAGE.table.check(spec), level }) },
})

test('the check of a monitor has the level of its configuration, and starts over where an edit raises it', async () => {
  const [made] = await cases.store.transaction((tx) =>
    insertMonitors(tx, cases.context.secrets, atLevel(3).table, [{ ...person, spec: SPEC }]),
  )
  if (!made) throw new Error('it was not stored')
  expect(made.level).toBe(3)
  const [low] = await cases.store.transaction((tx) =>
    insertMonitors(tx, cases.context.secrets, PAGE.table, [{ ...person, spec: SPEC }]),
  )
  if (!low) throw new Error('it was not stored')
  const edited = async (level: number, name: string) => {
    const outcome = await editMonitor(cases.context, atLevel(level), { ...person, id: low.id, patch: { name } })
    const check = await cases.store.one(sql.type(fenced)`select fence, level from checks where no = ${low.no}`)
    return { kind: outcome.kind, ...check }
  }
  expect(await edited(1, 'A')).toEqual({ kind: 'done', fence: 0, level: 1 })
  // A process of the level before may have the check, and would misread what the edit added.
  expect(await edited(3, 'B')).toEqual({ kind: 'done', fence: 1, level: 3 })
  // What is above the own level is refused, so it is never lowered.
  expect(await edited(1, 'C')).toEqual({ kind: 'later_keys', fence: 1, level: 3 })
})
