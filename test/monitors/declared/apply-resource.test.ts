import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyResources } from '../../../monitors/declared/apply-resource.ts'
import type { Declaration } from '../../../monitors/declared/declaration.ts'
import { SYSTEM } from '../../../schema/account/audit.ts'
import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { row } from '../../../store/db/row.ts'
import { SPEC } from '../../support/api/monitor-spec.ts'
import { createInstallation, type Person, type Installation } from '../../support/database/installation.ts'

const WEBHOOK = { type: 'webhook', url: 'https://hooks.example/x' } as const

describe('Resources that are applied together', () => {
  let cases: Installation
  beforeAll(async () => {
    cases = await createInstallation()
  })
  afterAll(() => cases.close())

  const declaration = (
    { teamId, userId }: Person,
    name: string,
    more: Partial<Omit<Declaration, 'spec'>> & { readonly spec?: Partial<MonitorSpec> } = {},
  ): Declaration => ({
    teamId,
    userId,
    actor: SYSTEM,
    resource: { clusterId: 'c', kind: 'page', namespace: userId, name },
    state: { uid: randomUUID(), generation: 1, hash: randomBytes(32), lastRequest: null },
    suspend: false,
    adopts: null,
    ...more,
    spec: { ...SPEC, name, ...more.spec },
  })
  const apply = (...all: readonly Declaration[]) => applyResources(cases.context, all)

  test('make their records in one transaction, each with its audit entry and its row', async () => {
    const person = await cases.person()
    const names = Array.from({ length: 50 }, (_, n) => `kettle-${n}`)
    const outcomes = await apply(...names.map((name) => declaration(person, name, { suspend: name === 'kettle-7' })))
    expect(outcomes.map((one) => one.kind === 'applied' && [one.change, one.monitor.name])).toEqual(
      names.map((name) => ['created', name]),
    )
    const found = row({ transactions: Type.Integer(), records: Type.Integer(), resting: Type.Integer() })
    expect(
      await cases.store.one(sql.type(found)`
        select count(distinct m.xmin::text) as transactions, count(*) as records,
          count(*) filter (where m.suspended and c.due_at is null and c.next_run_at is null) as resting
        from monitors m
        join checks c on c.no = m.no
        join monitor_resources r on r.no = m.no and r.name = m.name and r.xmin = m.xmin
        join audit_events a on a.target_id = m.id::text and a.target_label = m.name and a.xmin = m.xmin
        where m.team_id = ${person.teamId} and m.managed_by = 'kubernetes' and a.action = 'monitor.created'
          and a.metadata = jsonb_build_object('resource', r.namespace || '/' || r.name, 'cluster', 'c')
      `),
    ).toEqual({ transactions: 1, records: 50, resting: 1 })
  })

  test('with a webhook header that is never sent are refused where it is saved, and kept where it was', async () => {
    const person = await cases.person()
    const deliveries = [{ ...WEBHOOK, headers: { Expect: 'v' } }]
    const kettle = declaration(person, 'kettle', { spec: { deliveries: [WEBHOOK] } })
    await apply(kettle)
    const issues = [expect.objectContaining({ path: 'deliveries[0].headers.Expect' })]
    expect(
      await apply(declaration(person, 'lamp', { spec: { deliveries } }), {
        ...kettle,
        spec: { ...SPEC, name: 'kettle', deliveries },
      }),
    ).toEqual([
      { kind: 'invalid', issues },
      { kind: 'invalid', issues },
    ])
    const { id } = await cases.monitor(person, { deliveries })
    const taken = declaration(person, 'taken', { adopts: id, spec: { deliveries } })
    expect(await apply(taken)).toMatchObject([{ kind: 'applied', change: 'adopted', monitor: { name: 'taken' } }])
    expect(await apply({ ...taken, spec: { ...SPEC, name: 'other', deliveries } })).toMatchObject([
      { kind: 'applied', change: 'updated', monitor: { name: 'other' } },
    ])
  })

  test('have outcomes of their own: a new record, an edit, a plan that is too small, another team', async () => {
    const [free, other] = [await cases.person('free'), await cases.person()]
    const known = declaration(free, 'known')
    await apply(known)
    const deliveries = Array.from({ length: 4 }, (_, n) => ({ ...WEBHOOK, url: `${WEBHOOK.url}${n}` }))
    const outcomes = await apply(
      declaration(free, 'new', { spec: { deliveries: [WEBHOOK], notify_on: ['failing'] } }),
      { ...known, spec: { ...SPEC, name: 'renamed' } },
      declaration(free, 'many', { spec: { deliveries } }),
      { ...declaration(other, 'known'), resource: known.resource },
    )
    expect(outcomes.map((one) => (one.kind === 'applied' ? one.change : one.kind))).toEqual([
      'created',
      'updated',
      'over_cap',
      'other_team',
    ])
    const stored = row({ name: Type.String(), notices: Type.String(), secret: Type.Boolean() })
    expect(
      await cases.store.any(sql.type(stored)`
        select name, array_to_string(notify_on, ',') as notices, signing_secret is not null as secret from monitors
        where team_id = ${free.teamId} order by name
      `),
    ).toEqual([
      { name: 'new', notices: 'failing', secret: true },
      { name: 'renamed', notices: '', secret: false },
    ])
  })

  test('take over a record only once', async () => {
    const person = await cases.person()
    const { id: adopts } = await cases.monitor(person)
    const outcomes = await apply(...['first', 'second'].map((name) => declaration(person, name, { adopts })))
    expect(outcomes).toMatchObject([
      { kind: 'applied', change: 'adopted', monitor: { id: adopts } },
      { kind: 'not_adoptable', by: { name: 'first' } },
    ])
  })
})
