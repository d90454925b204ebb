import { randomBytes } from 'node:crypto'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import { secretSource } from '../../../manifests/secret-values.ts'
import { createMonitor } from '../../../monitors/create-monitor.ts'
import { applyFolder } from '../../../monitors/declared/apply-folder.ts'
import { releaseCluster } from '../../../monitors/declared/end-declared.ts'
import { judgeInput } from '../../../monitors/declared/judge-input.ts'
import type { Missing, MissingFate } from '../../../monitors/declared/missing-manifests.ts'
import { deleteMonitor } from '../../../monitors/delete-monitor.ts'
import { editMonitor } from '../../../monitors/edit-monitor.ts'
import { PAGE } from '../../../monitors/kinds/page-kind.ts'
import { nothing, row } from '../../../store/db/row.ts'
import { PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { FILES } from '../../../store/monitors/monitor-resource.ts'
import { listMonitors } from '../../../store/monitors/monitors.ts'
import { noteRunnerPods } from '../../../store/queue/isolated-checks.ts'
import { SPEC } from '../../support/api/monitor-spec.ts'
import { createInstallation, type Installation, type Person } from '../../support/database/installation.ts'

let installation: Installation
let person: Person
const hashKey = randomBytes(32)
beforeAll(async () => {
  installation = await createInstallation()
})
afterAll(() => installation.close())
beforeEach(async () => {
  fate = 'release'
  missing.length = 0
  noted.length = 0
  await releaseCluster(installation.context, FILES)
  person = await installation.person('pro')
})

const monitor = (name: string, more = '') => `
apiVersion: tidemark.dev/v1
kind: Monitor
metadata: { name: ${name}, labels: { label.tidemark.dev/env: prod } }
spec:
  name: ${name}
  url: https://shop.example.com/${name}
  scheduleIntervalSeconds: 600
  extractConfig: { method: full_page }
  diffPredicate: { type: any_field_changes }
${more}`
const SEARCH = `
apiVersion: tidemark.dev/v1
kind: SerpMonitor
metadata: { name: kettle }
spec: { name: Rank, keyword: kettle, scheduleIntervalSeconds: 3600, targetDomain: example.com }
`

/** Decides about records whose manifests are gone, and what it was asked. */
let fate: MissingFate = 'release'
const missing: Missing[] = []
/** Who managed the records when it was written down that too many are gone. */
const noted: string[][] = []

async function apply(texts: readonly string[], environment: Record<string, string> = {}, of = person, file = 'a.yaml') {
  const fateOf = (about: Missing) => {
    missing.push(about)
    return fate
  }
  const egress = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
  const { valid, faults } = judgeInput({
    texts: [{ file, text: texts.join('\n---\n') }],
    unread: [],
    secretsOf: (own) => secretSource(own, environment),
    refusesEmpty: true,
    egress,
  })
  if (faults.length > 0) return { isValid: false, created: 0, released: [], warnings: [], faults }
  const team = { id: of.teamId, owner_user_id: of.userId }
  const onTooMany = async () => void noted.push((await list()).map(({ managed_by }) => managed_by))
  const folder = { team, manifests: valid, hashKey, serpSpacingMs: 30_000, fateOf, onTooMany }
  return { isValid: true, ...(await applyFolder(installation.context, folder)) }
}
const list = async () => {
  const pages = await listMonitors(installation.store, PAGE_TABLE, { teamId: person.teamId, limit: 50, offset: 0 })
  return pages.toSorted((one, other) => one.name.localeCompare(other.name))
}

test('a folder of manifests is applied once, whatever how often', async () => {
  const texts = [monitor('kettle'), monitor('toaster', '  suspend: true'), SEARCH]
  expect(await apply(texts)).toMatchObject({ isValid: true, created: 3, faults: [], released: [] })
  const before = await list()
  expect(before).toMatchObject([
    { name: 'kettle', managed_by: 'file', labels: { env: 'prod' }, suspended: false },
    { name: 'toaster', managed_by: 'file', suspended: true, next_run_at: null },
  ])
  const audit = (await installation.audit(person)).length
  expect(await apply(texts)).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
  expect(await list()).toEqual(before)
  expect(await installation.audit(person)).toHaveLength(audit)
  const changed = [monitor('kettle').replace('600', '900'), texts[1] ?? '', SEARCH]
  expect(await apply(changed)).toMatchObject({ updated: 1, unchanged: 2 })
  expect((await list())[0]).toMatchObject({ id: before[0]?.id, schedule_interval_seconds: 900 })
})

test('of a folder over the bytes that the plan stores, what fits is applied, and the rest is a fault', async () => {
  const texts = ['kettle', 'toaster', 'urn'].map((name) => monitor(name))
  expect(await apply(texts.slice(0, 1))).toMatchObject({ created: 1, faults: [] })
  await installation.store.query(sql.type(nothing)`
    update teams set limits = jsonb_build_object('configurationBytes', 2 * s.configuration_bytes + 100)
    from team_storage s where s.team_id = teams.id and teams.id = ${person.teamId}::uuid`)
  const outcome = await apply(texts)
  expect(outcome).toMatchObject({ isValid: true, created: 1, unchanged: 1 })
  expect(outcome.faults).toMatchObject([{ file: 'a.yaml', message: expect.stringMatching(/stores \d+ bytes .* used/) }])
  expect((await list()).map(({ name }) => name)).toEqual(['kettle', 'toaster'])
  // Once there is room, nothing else has to change.
  await installation.store.query(sql.type(nothing)`update teams set limits = '{}' where id = ${person.teamId}::uuid`)
  expect(await apply(texts)).toMatchObject({ created: 1, unchanged: 2, faults: [] })
})

test('a record of a manifest cannot be edited or deleted through the API, which names the manifest', async () => {
  await apply([monitor('kettle')])
  const [{ id } = { id: '' }] = await list()
  const managed = { kind: 'managed', by: 'file', resource: 'default/kettle', resourceKind: 'Monitor', file: 'a.yaml' }
  const edition = { ...person, id, patch: { name: 'New' } }
  expect(await editMonitor(installation.context, PAGE, edition)).toMatchObject(managed)
  expect(await deleteMonitor(installation.context, PAGE, { ...person, id })).toMatchObject(managed)
})

test('a manifest that is gone gives its record to the API, and takes it again when it is back', async () => {
  await apply([monitor('kettle'), monitor('toaster')])
  const before = await list()
  expect(await apply([monitor('toaster')])).toMatchObject({ released: ['Monitor default/kettle'], unchanged: 1 })
  expect((await list()).map(({ managed_by }) => managed_by)).toEqual(['api', 'file'])
  expect(await apply([monitor('kettle'), monitor('toaster')])).toMatchObject({ adopted: 1, unchanged: 1 })
  expect((await list()).map(({ id, managed_by }) => [id, managed_by])).toEqual(before.map(({ id }) => [id, 'file']))
})

describe('a manifest that is gone, where a folder is pruned', () => {
  test('deletes its record, which the audit log names with the manifest', async () => {
    await apply([monitor('kettle'), monitor('toaster')])
    fate = 'delete'
    const done = await apply([monitor('toaster')])
    expect(done).toMatchObject({ deleted: ['Monitor default/kettle'], released: [], waiting: [] })
    expect(missing.at(-1)).toEqual({ resources: ['Monitor default/kettle'], declared: 2, hasFaults: false })
    expect((await list()).map(({ name, managed_by }) => [name, managed_by])).toEqual([['toaster', 'file']])
    const audited = await installation.store.any(sql.type(row({ metadata: Type.Unsafe<object>({}) }))`
      select metadata from audit_events where team_id = ${person.teamId} and action = 'monitor.deleted'`)
    expect(audited).toMatchObject([{ metadata: { resource: 'default/kettle' } }])
    // Another manifest of its name makes a new one.
    expect(await apply([monitor('kettle'), monitor('toaster')])).toMatchObject({ created: 1, adopted: 0 })
  })

  test('leaves its record as it is until a later look, and says that another manifest was refused', async () => {
    await apply([monitor('kettle'), monitor('toaster')])
    fate = 'wait'
    const refused = monitor('lamp').replace('labels:', 'annotations: { tidemark.dev/adopt: none }, labels:')
    const done = await apply([monitor('toaster'), refused])
    expect(done).toMatchObject({ deleted: [], released: [], waiting: ['Monitor default/kettle'] })
    expect(missing.at(-1)).toMatchObject({ hasFaults: true })
    expect((await list()).map(({ managed_by }) => managed_by)).toEqual(['file', 'file'])
  })

  test('gives its record to the API where too many are gone, which is written down first', async () => {
    await apply([monitor('kettle'), monitor('lamp'), monitor('toaster')])
    fate = 'too_many'
    const done = await apply([monitor('toaster')])
    const gone = ['Monitor default/kettle', 'Monitor default/lamp']
    expect(done).toMatchObject({ isTooMany: true, released: gone, deleted: [] })
    expect(noted).toEqual([['file', 'file', 'file']])
    expect((await list()).map(({ managed_by }) => managed_by)).toEqual(['api', 'api', 'file'])
    const external = (await list()).map(({ external_key: key }) => key)
    expect(external).toEqual(['default/kettle', 'default/lamp', 'default/toaster'])
  })

  test('never deletes the record that another manifest adopts', async () => {
    await apply([monitor('kettle'), monitor('toaster')])
    const id = (await list())[0]?.id ?? ''
    const renamed = monitor('teapot').replace('labels:', `annotations: { tidemark.dev/adopt: ${id} }, labels:`)
    fate = 'delete'
    const done = await apply([renamed, monitor('toaster')])
    expect(done).toMatchObject({ deleted: [], released: ['Monitor default/kettle'] })
    expect(missing.at(-1)).toMatchObject({ resources: [], hasFaults: true })
    expect(await apply([renamed, monitor('toaster')])).toMatchObject({ adopted: 1, faults: [] })
    expect((await list()).map((one) => one.id)).toContain(id)
  })
})

test('a record has the namespace and name of its manifest, and the file that declares it', async () => {
  await apply([monitor('kettle'), monitor('toaster')])
  const record = { external_key: 'default/kettle', declared_in: 'a.yaml' }
  expect((await list())[0]).toMatchObject(record)
  expect(await apply([monitor('kettle'), monitor('toaster')], {}, person, 'kitchen/b.yaml')).toMatchObject({
    updated: 0,
    faults: [],
  })
  expect((await list())[0]).toMatchObject({ ...record, declared_in: 'kitchen/b.yaml' })
  await apply([monitor('toaster')])
  expect((await list())[0]).toMatchObject({ managed_by: 'api', external_key: 'default/kettle', declared_in: null })
})

test('a manifest makes no second monitor of what apply made of it, and takes it over where it says so', async () => {
  const spec = { ...SPEC, external_key: 'default/kettle' }
  const made = await createMonitor(installation.context, PAGE, { ...person, spec })
  const id = made.kind === 'done' ? made.monitor.id : ''
  const refused = await apply([monitor('kettle'), monitor('toaster')])
  expect(refused).toMatchObject({ created: 1, faults: [{ file: 'a.yaml', line: 2 }] })
  expect(refused.faults[0]?.message).toContain(`tidemark.dev/adopt: ${id}`)
  const adopting = monitor('kettle').replace('labels:', `annotations: { tidemark.dev/adopt: ${id} }, labels:`)
  expect(await apply([adopting, monitor('toaster')])).toMatchObject({ adopted: 1, faults: [] })
  expect(await list()).toMatchObject([{ id, managed_by: 'file', external_key: 'default/kettle' }, { name: 'toaster' }])
})

test('a manifest that is not valid keeps the whole folder from being applied, and its line is named', async () => {
  await apply([monitor('kettle'), monitor('toaster')])
  const before = await list()
  const broken = await apply([monitor('lamp'), monitor('kettle').replace('600', '5').replace('full_page', 'pdf')])
  expect(broken).toMatchObject({
    isValid: false,
    created: 0,
    released: [],
    faults: [
      { file: 'a.yaml', line: 20, message: 'spec.scheduleIntervalSeconds must be at least 60' },
      { file: 'a.yaml', line: 21, message: expect.stringContaining('spec.extractConfig.method must be one of') },
    ],
  })
  expect(await list()).toEqual(before)
})

test('a manifest with a webhook header that is never sent is a fault, and the others are applied', async () => {
  const hook = '  deliveries: [{ type: webhook, url: "https://example.com/", headers: { Expect: v } }]'
  const message = expect.stringContaining('spec.deliveries[0].headers.Expect belongs to the connection')
  const fault = { file: 'a.yaml', line: 23, message }
  const applied = await apply([monitor('kettle'), monitor('lamp', hook)])
  expect(applied).toMatchObject({ isValid: true, created: 1, faults: [fault] })
})

test('a manifest that asks for a pod of its own is a fault where nobody starts any', async () => {
  const isolated = monitor('lamp', '  fetchMode: browser\n  isolation: pod')
  const texts = [monitor('kettle'), isolated]
  const message = expect.stringContaining('spec.isolation can be pod only where an operator starts runner pods')
  const fault = { file: 'a.yaml', line: 24, message }
  expect(await apply(texts)).toMatchObject({ isValid: true, created: 1, faults: [fault] })
  expect((await list()).map(({ name }) => name)).toEqual(['kettle'])
  await installation.store.query(sql.type(nothing)`insert into operator_epochs (cluster_id, epoch) values ('a', 1)`)
  await noteRunnerPods(installation.store, 'a', 1)
  expect(await apply(texts)).toMatchObject({ created: 1, unchanged: 1, faults: [] })
  await installation.store.query(sql.type(nothing)`delete from operator_epochs where cluster_id = 'a'`)
  // What is stored already stays as it is.
  expect(await apply(texts)).toMatchObject({ unchanged: 2, faults: [] })
})

test('values of Secrets come from the folder, else from the environment, and a new one is applied', async () => {
  const hook =
    '  deliveries: [{ type: webhook, urlFrom: { secretKeyRef: { name: my-keys, key: hook.url } } }]\n' +
    '  requestHeadersFrom: [{ name: X-Token, secretKeyRef: { name: my-keys, key: token } }]'
  const secret = (text: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata: { name: my-keys }\nstringData: { token: ${text} }\n`
  const environment = { SECRET_MY_KEYS_HOOK_URL: 'https://hooks.example.com/a' }
  const texts = [monitor('kettle', hook), secret('first')]
  expect(await apply(texts)).toMatchObject({
    isValid: false,
    faults: [{ line: 11, message: expect.stringContaining('or the variable SECRET_MY_KEYS_HOOK_URL') }],
  })
  expect(await apply(texts, environment)).toMatchObject({ created: 1 })
  expect(await apply(texts, environment)).toMatchObject({ unchanged: 1 })
  expect(await apply([monitor('kettle', hook), secret('second')], environment)).toMatchObject({ updated: 1 })
})

test('a manifest takes over a monitor of the API, and is refused alone where it cannot', async () => {
  const stored = await installation.monitor(person, { name: 'Old', external_key: 'sku-7' })
  const adopting = (name: string, id: string) =>
    monitor(name).replace('labels:', `annotations: { tidemark.dev/adopt: ${id} }, labels:`)
  expect(await apply([adopting('kettle', stored.id)])).toMatchObject({ adopted: 1 })
  expect(await list()).toMatchObject([{ id: stored.id, name: 'kettle', managed_by: 'file', external_key: 'sku-7' }])
  const both = await apply([adopting('kettle', stored.id), adopting('toaster', stored.id), adopting('lamp', 'none')])
  expect(both).toMatchObject({
    isValid: true,
    unchanged: 1,
    faults: [
      { line: 14, message: `the monitor ${stored.id} is declared by default/kettle already` },
      { line: 26, message: 'the team has no monitor none, which the annotation tidemark.dev/adopt names' },
    ],
  })
})

test('more deliveries than the plan allows refuse that manifest alone', async () => {
  const many = `  deliveries: [${'{ type: email, to: a@example.com },'.repeat(25)}]`
  const done = await apply([monitor('kettle', many), monitor('toaster')])
  expect(done).toMatchObject({
    created: 1,
    faults: [{ line: 2, message: expect.stringMatching(/^the plan pro allows \d+ deliveries a monitor/) }],
  })
})

test('records of another team are left alone', async () => {
  await apply([monitor('kettle')])
  const other = await installation.person('pro')
  const moved = await apply([monitor('kettle')], {}, other)
  expect(moved).toMatchObject({ faults: [{ message: expect.stringContaining('belongs to another team') }] })
  expect(await list()).toMatchObject([{ managed_by: 'file' }])
})

test('all records are given back to the API by one command', async () => {
  await apply([monitor('kettle'), monitor('toaster')])
  expect(await releaseCluster(installation.context, FILES)).toBe(2)
  expect((await list()).map(({ managed_by }) => managed_by)).toEqual(['api', 'api'])
})

test('more searches than an exit can do in time are warned of by a folder, and applied', async () => {
  await installation.store.query(
    sql.type(nothing)`update teams set serp = 'included' where id = ${person.teamId}::uuid`,
  )
  const searches = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      SEARCH.replace('name: kettle', `name: kettle-${at}`).replace('keyword: kettle', `keyword: kettle ${at}`),
    ).map((text) => text.replace('3600', '600').replace('keyword', 'engine: yandex, keyword'))
  expect(await apply(searches(2))).toMatchObject({ created: 2, warnings: [] })
  const done = await apply(searches(20))
  expect(done).toMatchObject({ created: 18, unchanged: 2, faults: [] })
  expect(done.warnings).toEqual([
    expect.stringMatching(
      /^SerpMonitor \S+\/kettle-2, .*kettle-4 and 15 more: More searches at Yandex are scheduled than one exit address/,
    ),
  ])
  expect(await apply(searches(20))).toMatchObject({ unchanged: 20, warnings: [] })
})

test('a warning names the manifests that it is about, with the keys of manifests', async () => {
  const without = SEARCH.replace('targetDomain: example.com', 'rankChangeThreshold: 3')
  const done = await apply([
    without.replace('name: kettle', 'name: rank'),
    SEARCH.replace('name: kettle', 'name: other'),
  ])
  expect(done).toMatchObject({ created: 2, faults: [] })
  expect(done.warnings).toEqual([
    expect.stringMatching(/^SerpMonitor \w+\/rank: rankChangeThreshold fires nothing without targetDomain/),
  ])
})
