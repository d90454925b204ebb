import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { actOnMany } from '../../monitors/act-on-many.ts'
import { applyResources } from '../../monitors/declared/apply-resource.ts'
import { deleteDeclared } from '../../monitors/declared/end-declared.ts'
import { deleteMonitor } from '../../monitors/delete-monitor.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import { pauseMonitor } from '../../monitors/pause-monitor.ts'
import { resumeMonitor } from '../../monitors/resume-monitor.ts'
import { runMonitor } from '../../monitors/run-monitor.ts'
import { rotateSigningSecret } from '../../monitors/signing-secret.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { row } from '../../store/db/row.ts'
import { PAGE_TABLE } from '../../store/monitors/kinds/page-table.ts'
import { findMonitor } from '../../store/monitors/monitors.ts'
import { SPEC } from '../support/api/monitor-spec.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { beginRun } from '../support/database/check-states.ts'
import { createInstallation, type Person } from '../support/database/installation.ts'
import { shared } from '../support/run/shared.ts'

const installation = shared(createInstallation)

const lock = (id: string) => changeMonitors(installation, id, { locked: true })
const manage = (id: string) => changeMonitors(installation, id, { managedBy: 'kubernetes' })
const useUp = ({ teamId }: Person) =>
  installation.sql(`update team_usage set runs_used = runs_limit, credits = 0 where team_id = '${teamId}'`)
const actions = async (person: Person) =>
  (await installation.audit(person)).map((line) => (line as { action: string }).action)

describe('a monitor that billing has locked', () => {
  test('is neither paused nor resumed nor run, and nothing is written down; it can be deleted', async () => {
    const person = await installation.person()
    const { id } = await installation.monitor(person)
    await lock(id)
    const one = { ...person, id }
    expect(await pauseMonitor(installation.context, PAGE, one)).toEqual({ kind: 'locked', act: 'pause' })
    expect(await resumeMonitor(installation.context, PAGE, one)).toEqual({ kind: 'locked', act: 'resume' })
    expect(await runMonitor(installation.context, PAGE, one)).toEqual({ kind: 'locked', act: 'run' })
    expect(await actions(person)).toEqual([])
    expect(await deleteMonitor(installation.context, PAGE, one)).toEqual({ kind: 'done' })
    expect(await actions(person)).toEqual(['monitor.deleted'])
  })
})

describe('pausing and resuming', () => {
  test('are written down once: what is paused or active already stays as it is', async () => {
    const person = await installation.person()
    const one = { ...person, id: (await installation.monitor(person)).id }
    expect(await resumeMonitor(installation.context, PAGE, one)).toMatchObject({
      kind: 'done',
      monitor: { paused: false },
    })
    expect(await pauseMonitor(installation.context, PAGE, one)).toMatchObject({
      kind: 'done',
      monitor: { paused: true },
    })
    expect(await pauseMonitor(installation.context, PAGE, one)).toMatchObject({
      kind: 'done',
      monitor: { paused: true },
    })
    expect(await resumeMonitor(installation.context, PAGE, one)).toMatchObject({
      kind: 'done',
      monitor: { paused: false },
    })
    expect(await actions(person)).toEqual(['monitor.paused', 'monitor.resumed'])
  })

  test('are for the team alone', async () => {
    const { id } = await installation.monitor(await installation.person())
    const one = { ...(await installation.person()), id }
    const nothing = { kind: 'not_found', what: 'monitor' }
    expect(await pauseMonitor(installation.context, PAGE, one)).toEqual(nothing)
    expect(await resumeMonitor(installation.context, PAGE, one)).toEqual(nothing)
    expect(await runMonitor(installation.context, PAGE, one)).toEqual(nothing)
    expect(await deleteMonitor(installation.context, PAGE, one)).toEqual(nothing)
  })
})

describe('running a monitor now', () => {
  test('returns the run that is queued already, without another audit line', async () => {
    const person = await installation.person()
    const one = { ...person, id: (await installation.monitor(person)).id }
    const first = await runMonitor(installation.context, PAGE, one)
    expect(first).toMatchObject({ kind: 'done' })
    expect(await runMonitor(installation.context, PAGE, one)).toEqual(first)
    expect(await actions(person)).toEqual(['monitor.run_triggered'])
  })

  test('without runs or credits left is used up, and says what is used', async () => {
    const person = await installation.person('free')
    const { id } = await installation.monitor(person)
    await useUp(person)
    expect(await runMonitor(installation.context, PAGE, { ...person, id })).toMatchObject({
      kind: 'used_up',
      quota: { credits_remaining: 0 },
    })
    expect(await actions(person)).toEqual([])
  })
})

describe('deleting a monitor whose run waits', () => {
  const usage = row({ runs_used: Type.Integer(), credits: Type.Integer() })
  const usageOf = ({ teamId }: Person) =>
    installation.store.one(sql.type(usage)`
      select runs_used, credits from team_usage where team_id = ${teamId}::uuid`)
  const stored = row({ status: Type.String(), error_message: Type.String() })
  const runOf = (id: string) =>
    installation.store.one(sql.type(stored)`select status, error_message from runs where id = ${id}::uuid`)
  /** Its pool has one run left, so the second that is asked for is paid with a credit. */
  async function withLittle(): Promise<Person> {
    const person = await installation.person('lite')
    await installation.sql(
      `update team_usage set runs_used = runs_limit - 1, credits = 5 where team_id = '${person.teamId}'`,
    )
    return person
  }
  async function asked(person: Person) {
    const one = { ...person, id: (await installation.monitor(person)).id }
    const run = await runMonitor(installation.context, PAGE, one)
    if (run.kind !== 'done') throw new Error(run.kind)
    return { ...one, runId: run.runId }
  }
  const begin = (id: string) => beginRun(installation, id)

  test('gives it back once, to what paid for it, and the run says so', async () => {
    const person = await withLittle()
    const [first, second] = [await asked(person), await asked(person)]
    expect(await usageOf(person)).toEqual({ runs_used: 1000, credits: 4 })
    expect(await deleteMonitor(installation.context, PAGE, second)).toEqual({ kind: 'done' })
    expect(await usageOf(person)).toEqual({ runs_used: 1000, credits: 5 })
    const ids = [second.id, first.id]
    expect(await actOnMany(installation.context, PAGE, { ...person, action: 'delete', ids })).toMatchObject({
      succeeded: 1,
    })
    expect(await usageOf(person)).toEqual({ runs_used: 999, credits: 5 })
    for (const { runId } of [first, second])
      expect(await runOf(runId)).toEqual({
        status: 'error',
        error_message: expect.stringContaining('nothing was used'),
      })
  })

  test('keeps what a run costs that is under way, and gives the one behind it back', async () => {
    const person = await withLittle()
    const first = await asked(person)
    await begin(first.id)
    expect(await runMonitor(installation.context, PAGE, first)).toMatchObject({ kind: 'done' })
    expect(await usageOf(person)).toEqual({ runs_used: 1000, credits: 4 })
    await deleteMonitor(installation.context, PAGE, first)
    expect(await usageOf(person)).toEqual({ runs_used: 1000, credits: 5 })
    expect(await runOf(first.runId)).toMatchObject({ error_message: expect.stringContaining('under way') })
  })

  test('takes nothing off a period that began since', async () => {
    const person = await installation.person('lite')
    const one = await asked(person)
    await installation.sql(
      `update team_usage set resets_at = clock(), anchor_at = clock() where team_id = '${person.teamId}'`,
    )
    await installation.monitor(person)
    await asked(person)
    await deleteMonitor(installation.context, PAGE, one)
    expect(await usageOf(person)).toMatchObject({ runs_used: 1 })
  })

  test('gives it back where the resource that declares it is deleted, or the account', async () => {
    const person = await withLittle()
    const { teamId, userId } = person
    const resource = { clusterId: 'c', kind: 'page', namespace: teamId, name: 'kettle' } as const
    const state = { uid: 'u', generation: 1, hash: Buffer.alloc(32), lastRequest: 'now' }
    const declared = { teamId, userId, actor: SYSTEM, resource, state, suspend: false, adopts: null, spec: SPEC }
    expect(await applyResources(installation.context, [declared])).toMatchObject([{ requested: { kind: 'done' } }])
    await asked(person)
    expect(await usageOf(person)).toEqual({ runs_used: 1000, credits: 4 })
    await deleteDeclared(installation.context, { actor: SYSTEM, resource })
    expect(await usageOf(person)).toEqual({ runs_used: 999, credits: 4 })
    expect(await deleteAccount(installation.context, { userId, actor: SYSTEM })).toMatchObject({ kind: 'done' })
    expect(await usageOf(person)).toEqual({ runs_used: 999, credits: 5 })
  })

  test('loses and gains no run, however many are asked for and deleted at once', async () => {
    const person = await installation.person('lite')
    const monitors = await Promise.all(Array.from({ length: 12 }, () => installation.monitor(person)))
    const acts = monitors.flatMap(({ id }) => [
      runMonitor(installation.context, PAGE, { ...person, id }),
      deleteMonitor(installation.context, PAGE, { ...person, id }),
      runMonitor(installation.context, PAGE, { ...person, id }),
    ])
    await Promise.all(acts)
    expect(await usageOf(person)).toMatchObject({ runs_used: 0 })
  })
})

describe('deleting a monitor that a Kubernetes resource owns', () => {
  test('is refused', async () => {
    const person = await installation.person()
    const { id } = await installation.monitor(person)
    await manage(id)
    expect(await deleteMonitor(installation.context, PAGE, { ...person, id })).toEqual({
      kind: 'managed',
      by: 'kubernetes',
      name: 'Prices',
      resource: null,
      act: 'change',
    })
    expect(await findMonitor(installation.store, person.teamId, id, PAGE_TABLE)).toMatchObject({ id })
  })
})

describe('an action on many monitors', () => {
  test('gives each its own outcome, and wakes the workers once', async () => {
    const person = await installation.person()
    const [free, locked] = [await installation.monitor(person), await installation.monitor(person)]
    await lock(locked.id)
    const before = installation.wakes
    const ids = [locked.id, free.id, free.id.toUpperCase()]
    expect(await actOnMany(installation.context, PAGE, { ...person, action: 'run', ids })).toMatchObject({
      succeeded: 1,
      failed: 1,
      results: [
        { id: locked.id, outcome: { kind: 'locked', act: 'run' } },
        { id: free.id, outcome: { kind: 'done' } },
      ],
    })
    expect(installation.wakes).toBe(before + 1)
    expect((await actions(person)).toSorted()).toEqual(['monitor.bulk_action', 'monitor.run_triggered'])
  })

  test('that the store cuts off has its line all the same, with what was done until then', async () => {
    const person = await installation.person()
    const [first, second] = [await installation.monitor(person), await installation.monitor(person)]
    await installation.sql(`create function fall() returns trigger language plpgsql as $$ begin
        raise exception 'gone' using errcode = '57P01'; end $$;
      create trigger fall before update on monitors for each row when (new.id = '${second.id}')
        execute function fall()`)
    const ids = [first.id, second.id]
    await expect(actOnMany(installation.context, PAGE, { ...person, action: 'pause', ids })).rejects.toThrow(
      'terminated',
    )
    await installation.sql('drop function fall cascade')
    const lines = await installation.audit(person)
    expect(lines).toHaveLength(2)
    expect(lines).toContainEqual(expect.objectContaining({ action: 'monitor.paused', target_id: first.id }))
    const metadata = { action: 'pause', succeeded: 1, failed: 1 }
    expect(lines).toContainEqual(expect.objectContaining({ action: 'monitor.bulk_action', metadata }))
  })

  test('that succeeds for none leaves no audit line', async () => {
    const person = await installation.person()
    const { id } = await installation.monitor(person)
    await lock(id)
    expect(await actOnMany(installation.context, PAGE, { ...person, action: 'pause', ids: [id] })).toMatchObject({
      succeeded: 0,
    })
    expect(await actions(person)).toEqual([])
  })
})

describe('rotating a signing secret', () => {
  test('needs a webhook', async () => {
    const person = await installation.person()
    const plain = await installation.monitor(person)
    const hook = { type: 'webhook' as const, url: 'https://example.com/hook' }
    const hooked = await installation.monitor(person, { deliveries: [hook] })
    const rotate = (id: string) => rotateSigningSecret(installation.context, PAGE, { ...person, id, graceHours: 0 })
    expect(await rotate(plain.id)).toEqual({ kind: 'no_webhook' })
    expect(await rotate(hooked.id)).toMatchObject({ kind: 'done', secret: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await actions(person)).toEqual(['monitor.secret_rotated'])
  })
})
