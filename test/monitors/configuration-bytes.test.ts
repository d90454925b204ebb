import fc from 'fast-check'
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { outcomeError } from '../../api/http/outcome-error.ts'
import { createPolicy } from '../../egress/policy.ts'
import { createFromTemplate } from '../../monitors/create-from-template.ts'
import { createMonitor } from '../../monitors/create-monitor.ts'
import { applyResources } from '../../monitors/declared/apply-resource.ts'
import type { Declaration } from '../../monitors/declared/declaration.ts'
import { deleteMonitor } from '../../monitors/delete-monitor.ts'
import { editMonitor } from '../../monitors/edit-monitor.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import { SEARCH } from '../../monitors/kinds/search-kind.ts'
import { refusalOf } from '../../operator/reconcile/refusal.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { nothing, row } from '../../store/db/row.ts'
import { dropConfigurations } from '../../store/monitors/monitor-delete.ts'
import { readUsage } from '../../store/quota/usage-summary.ts'
import { reEncrypt } from '../../store/secrets/re-encrypt.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { SPEC } from '../support/api/monitor-spec.ts'
import { seedDelivery, seedRun } from '../support/api/seeded-runs.ts'
import { endDeliveries } from '../support/database/change-deliveries.ts'
import { createInstallation, type Installation, type Person } from '../support/database/installation.ts'

let cases: Installation
let context: Installation['context']
/** The keys of the service, which the tests rotate. */
const secrets = createSecretBox('a key of the tests, which is long enough')
beforeAll(async () => {
  cases = await createInstallation()
  context = { ...cases.context, secrets }
})
afterAll(() => cases.close())

const number = row({ value: Type.Number() })
const kindOf = ({ kind }: { readonly kind: string }) => kind

/** Counts the bytes of the team's configurations again, from each column. */
const freshCount = ({ teamId }: Person) =>
  cases.store.oneFirst(sql.type(number)`
    select coalesce(sum(
      octet_length(name) + coalesce(octet_length(url), 0) + coalesce(octet_length(extract_config::text), 0)
      + coalesce(octet_length(diff_predicate::text), 0) + coalesce(octet_length(request_config::text), 0)
      + coalesce(octet_length(visual_config::text), 0) + coalesce(octet_length(keyword), 0)
      + coalesce(octet_length(target_domain), 0) + coalesce(octet_length(external_key), 0)
      + coalesce(octet_length(labels::text), 0) + coalesce(octet_length(request_headers), 0)
      + coalesce(octet_length(deliveries), 0)), 0)::float8 as value
    from monitors where team_id = ${teamId}::uuid
  `)

const usedBy = async ({ teamId }: Person) => (await readUsage(cases.store, teamId)).configurationBytes

/** Gives the team as many bytes more than it uses now. */
async function allow(person: Person, more: number): Promise<number> {
  const limit = (await usedBy(person)).used + more
  await cases.store.query(sql.type(nothing)`
    update teams set limits = jsonb_build_object('configurationBytes', ${limit}::bigint)
    where id = ${person.teamId}::uuid`)
  return limit
}

const create = (person: Person, more: Partial<MonitorSpec> = {}) =>
  createMonitor(context, PAGE, { ...person, spec: { ...SPEC, ...more } })
const edit = ({ teamId, actor }: Person, id: string, patch: Partial<MonitorSpec>) =>
  editMonitor(context, PAGE, { teamId, actor, id, patch })

function searchOf(keyword: string): SerpMonitorSpec {
  const body = { name: 'S', keyword, engine: 'bing', mode: 'full_analysis', schedule_interval_seconds: 600 }
  const checked = checkerOf(SerpMonitorSpec).validate(body, { defaults: true })
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return checked.value
}
const createSearch = (person: Person, keyword: string) =>
  createMonitor(context, SEARCH, { ...person, spec: searchOf(keyword) })

const declaration = ({ teamId, userId }: Person, name: string, more: Partial<Declaration> = {}): Declaration => ({
  teamId,
  userId,
  actor: SYSTEM,
  resource: { clusterId: 'c', kind: 'page', namespace: userId, name },
  state: { uid: randomUUID(), generation: 1, hash: randomBytes(32), lastRequest: null },
  suspend: false,
  adopts: null,
  spec: { ...SPEC, name },
  ...more,
})
const apply = (...all: readonly Declaration[]) => applyResources(context, all)

/** How many bytes one monitor of the tests takes. */
async function sizeOfOne(): Promise<number> {
  const person = await cases.person()
  await create(person)
  return (await usedBy(person)).used
}

describe('bytes of configurations', () => {
  test('that are used up refuse every way to create a monitor, and store nothing', async () => {
    const person = await cases.person('free')
    const limit = await allow(person, 10)
    const egress = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
    const choice = { ...person, slug: 'generic-css-selector', wishes: { url: 'https://example.com/' } }
    const refused = { kind: 'over_storage', tier: 'free', used: 0, limit }
    expect(await create(person)).toEqual(refused)
    expect(await createSearch(person, 'kettle of a long name')).toEqual(refused)
    expect(await createFromTemplate({ ...context, egress }, choice)).toEqual(refused)
    expect((await apply(declaration(person, 'kettle'))).map(kindOf)).toEqual(['over_storage'])
    expect(await freshCount(person)).toBe(0)
    expect(await cases.audit(person)).toEqual([])
  })

  test('are refused as a limit of the plan, with what is used, the limit and what to do', async () => {
    const refusal = { kind: 'over_storage', tier: 'free', used: 90, limit: 100 } as const
    const error = outcomeError(refusal)
    expect(error).toMatchObject({ code: 'TIER_LIMIT_EXCEEDED', details: [{ used: 90, limit: 100, tier: 'free' }] })
    expect(error.message).toMatch(/stores 100 bytes .* 90 are used.*delete monitors/)
    expect(refusalOf(refusal, null, 'c')).toEqual({ reason: 'PlanLimit', message: error.message })
  })

  test('are taken by as many of many simultaneous creations as fit', async () => {
    const person = await cases.person('free')
    const size = await sizeOfOne()
    await allow(person, 3 * size)
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => create(person)))
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(3)
    expect(await usedBy(person)).toEqual({ used: 3 * size, limit: 3 * size })
    expect(await freshCount(person)).toBe(3 * size)
  })

  test('refuse those resources of a batch that do not fit, and apply the others', async () => {
    const person = await cases.person('free')
    const adopted = await cases.monitor(person, { name: 'other' })
    // The one that is adopted grows by 195 bytes, first.
    await allow(person, (await sizeOfOne()) * 2 + 200)
    const outcomes = await apply(
      declaration(person, 'one'),
      declaration(person, 'two', { adopts: adopted.id, spec: { ...SPEC, name: 'N'.repeat(200) } }),
      declaration(person, 'two-too'),
      declaration(person, 'six'),
    )
    expect(outcomes.map((one) => (one.kind === 'applied' ? one.change : one.kind))).toEqual([
      'created',
      'adopted',
      'created',
      'over_storage',
    ])
    expect((await usedBy(person)).used).toBe(await freshCount(person))
  })

  test('never refuse an edit that makes a configuration smaller, not even over the limit', async () => {
    const person = await cases.person('free')
    const { id } = await cases.monitor(person, { name: 'N'.repeat(100) })
    await allow(person, -80)
    expect(await edit(person, id, { name: 'N'.repeat(101) })).toMatchObject({ kind: 'over_storage' })
    expect(kindOf(await edit(person, id, { name: 'n'.repeat(100) }))).toBe('done')
    expect(kindOf(await edit(person, id, { name: 'N'.repeat(99) }))).toBe('done')
    const search = await createSearch(await withRoom(person), 'kettles')
    if (search.kind !== 'done') throw new Error(search.kind)
    await allow(person, -5)
    const change = (keyword: string) =>
      editMonitor(context, SEARCH, { ...person, id: search.monitor.id, patch: { keyword } })
    expect(kindOf(await change('kettles!'))).toBe('over_storage')
    expect(kindOf(await change('kettle'))).toBe('done')
    expect((await usedBy(person)).used).toBe(await freshCount(person))
  })

  test('are free again when a monitor is deleted, and when its last delivery has ended', async () => {
    const person = await cases.person()
    const [plain, waiting] = [await cases.monitor(person), await cases.monitor(person)]
    const stored = { store: cases.store, secrets: context.secrets }
    await seedDelivery(stored, await seedRun(stored, waiting.id))
    const size = await sizeOfOne()
    const kept = SPEC.name.length + 4
    for (const { id } of [plain, waiting]) await deleteMonitor(context, PAGE, { ...person, id })
    expect((await usedBy(person)).used).toBe(kept + size)
    await endDeliveries(cases, 'dead')
    await dropConfigurations(cases.store)
    expect((await usedBy(person)).used).toBe(2 * kept)
    expect(await freshCount(person)).toBe(2 * kept)
  })

  test('are counted exactly whatever is done at once', async () => {
    const act = fc.record({
      what: fc.constantFrom('create', 'search', 'edit', 'grow', 'delete', 'undo', 'apply', 'rotate'),
      size: fc.integer({ min: 1, max: 150 }),
      which: fc.nat(20),
    })
    const rounds = fc.array(fc.array(act, { minLength: 2, maxLength: 4 }), { minLength: 5, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const person = await cases.person('free')
        const limit = await allow(person, 3_000)
        const ids: string[] = []
        let key = 0
        for (const round of all) {
          const known = [...ids]
          await Promise.all(
            round.map(async ({ what, size, which }) => {
              const id = known[which % Math.max(known.length, 1)] ?? randomUUID()
              const headers = { request_headers: { 'x-token': 'ä"'.repeat(size) }, labels: { a: 'b', c: 'd' } }
              if (what === 'create' || what === 'undo') {
                const made = cases.store.transaction(async (store) => {
                  const done = await createMonitor({ ...context, store }, PAGE, {
                    ...person,
                    spec: { ...SPEC, name: 'N'.repeat(size), ...headers },
                  })
                  if (what === 'undo') throw new Error('undone')
                  return done
                })
                const done = await made.catch(() => ({ kind: 'undone' }) as const)
                if (done.kind === 'done') ids.push(done.monitor.id)
              } else if (what === 'search') await createSearch(person, 'k'.repeat(size))
              else if (what === 'edit') await edit(person, id, { name: 'e'.repeat(size) })
              else if (what === 'grow') await edit(person, id, headers)
              else if (what === 'delete') await deleteMonitor(context, PAGE, { ...person, id })
              else if (what === 'apply')
                await apply(declaration(person, `a${(key += 1)}`), declaration(person, `b${which}`))
              else {
                secrets.adopt(`a newer key ${size} of the tests`)
                await reEncrypt(cases.store, secrets, () => {})
              }
            }),
          )
          const { used } = await usedBy(person)
          expect(used).toBe(await freshCount(person))
          expect(used).toBeLessThanOrEqual(limit)
        }
      }),
      { numRuns: 6 },
    )
  }, 180_000)
})

async function withRoom(person: Person): Promise<Person> {
  await allow(person, 10_000)
  return person
}
