import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { NewMail } from '../../../store/accounts/mail-queue.ts'
import { isStoreAway } from '../../../store/db/store-fault.ts'
import { SEARCH_TABLE } from '../../../store/monitors/kinds/search-table.ts'
import { startSchedule } from '../../../store/monitors/monitor-pause.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { makeDue } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { addSearch, checkIn, claimIn, recordIn, resetSearches } from '../../support/database/stored-searches.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
afterEach(() => resetSearches(database))
afterAll(() => database[Symbol.asyncDispose]())

const MINUTE = 60_000

/** Minutes until the engine is asked again. */
async function pauseMinutes(): Promise<number | null> {
  const [row] = await database.query<{ minutes: number }>(
    'select extract(epoch from refused_until - clock())::float8 / 60 as minutes from serp_engines',
  )
  return row ? Math.round(row.minutes) : null
}

describe('an engine that refuses', () => {
  test('is left alone for 15 minutes, doubling per consecutive refusal up to 6 hours', async () => {
    const no = await addSearch(database, await database.team(), { interval: 86_400 })
    await database.query('update checks set interval_seconds = 600 where no = $1', [no])
    const seen: (number | null)[] = []
    for (let n = 0, minutes = 0; n < 7; n++) {
      await database.query('update checks set due_at = clock(), next_run_at = clock(), failures = 0 where no = $1', [
        no,
      ])
      await checkIn(database, { outcome: 'blocked' })
      const pause = await pauseMinutes()
      seen.push(pause)
      minutes += (pause ?? 0) + 1
      await database.setClock(`${minutes} minutes`)
    }
    expect(seen).toEqual([15, 30, 60, 120, 240, 360, 360])
  })

  test('is asked again after the first healthy check, and the next refusal begins with 15 minutes', async () => {
    const no = await addSearch(database, await database.team())
    const refuse = async () => {
      await makeDue(database, no)
      await checkIn(database, { outcome: 'blocked' })
    }
    await refuse()
    await database.setClock('16 minutes')
    await refuse()
    expect(await pauseMinutes()).toBe(30)
    await database.setClock('47 minutes')
    await makeDue(database, no)
    await checkIn(database, { outcome: 'ok' })
    expect(await pauseMinutes()).toBeNull()
    await refuse()
    expect(await pauseMinutes()).toBe(15)
  })

  test('refuses checks of two exits at once: that is one refusal', async () => {
    const team = await database.team()
    await addSearch(database, team)
    await addSearch(database, team)
    const claimed = [...(await claimIn(database)), ...(await claimIn(database, { exit: 'elsewhere' }))]
    expect(claimed).toHaveLength(2)
    for (const one of claimed) await recordIn(database, one, { outcome: 'blocked' })
    expect(await pauseMinutes()).toBe(15)
    expect(await database.query('select refusals from serp_engines')).toEqual([{ refusals: 1 }])
  })

  test('on a later page is left alone too, and the run is a success', async () => {
    const no = await addSearch(database, await database.team(), { pages: 3 })
    await checkIn(database, { outcome: 'ok', refused: true, healthy: false, organic_results: '[]' })
    expect(await pauseMinutes()).toBe(15)
    expect(await database.runs(no)).toMatchObject([{ status: 'success', error_code: null }])
  })

  test('is not the one that answers with an error, with an unknown page, or not at all', async () => {
    const no = await addSearch(database, await database.team())
    for (const outcome of ['engine_error', 'unparsed', 'failed'] as const) {
      await makeDue(database, no)
      await checkIn(database, { outcome })
    }
    expect(await pauseMinutes()).toBeNull()
    expect(await database.check(no)).toMatchObject({ failures: 3 })
  })
})

describe('the next time of a check', () => {
  test('that was refused is not before the end of the pause', async () => {
    const no = await addSearch(database, await database.team())
    await checkIn(database, { outcome: 'blocked' })
    const { next_ms, due_ms, now_ms } = await database.check(no)
    expect(((next_ms ?? 0) - now_ms) / MINUTE).toBeCloseTo(15, 0)
    expect(due_ms).toBe(next_ms)
  })

  test('that fell into the pause is its end, so that a pause costs one failure', async () => {
    const team = await database.team()
    await addSearch(database, team)
    await checkIn(database, { outcome: 'blocked' })
    const no = await addSearch(database, team, { interval: 86_400 })
    await checkIn(database, { outcome: 'left_alone' })
    const { next_ms, now_ms, failures } = await database.check(no)
    expect(((next_ms ?? 0) - now_ms) / MINUTE).toBeCloseTo(15, 0)
    expect(failures).toBe(1)
    await database.setClock('10 minutes')
    expect(await claimIn(database)).toEqual([])
    expect(await pauseMinutes()).toBe(5)
  })

  test('that a person asked for stays where it was, unless it is within the pause', async () => {
    const team = await database.team()
    await addSearch(database, team)
    await checkIn(database, { outcome: 'blocked' })
    const soon = await addSearch(database, team, { dueSeconds: -120 })
    const late = await addSearch(database, team, { dueSeconds: -7200 })
    await database.query(
      'update checks set queued_run_id = new_run_id(clock(), no), due_at = clock() where no = any($1::bigint[])',
      [[soon, late]],
    )
    for (const one of await claimIn(database)) await recordIn(database, one, { outcome: 'left_alone' })
    const minutes = async (no: number) => {
      const { next_ms, now_ms } = await database.check(no)
      return Math.round(((next_ms ?? 0) - now_ms) / MINUTE)
    }
    expect(await minutes(soon)).toBe(15)
    expect(await minutes(late)).toBe(120)
  })
})

describe('a process that dies between the end at the engine and the record of the run', () => {
  /** The next insert of a run ends the connection that makes it. */
  async function dieOnce() {
    await database.query('create sequence deaths')
    await database.query(`
      create function die_once() returns trigger language plpgsql as $$
      begin
        if nextval('deaths') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
        return new;
      end $$`)
    await database.query('create trigger die_once before insert on runs for each row execute function die_once()')
    return {
      async [Symbol.asyncDispose]() {
        await database.query('drop function die_once cascade')
        await database.query('drop sequence deaths')
      },
    }
  }
  const state = async (no: number) => ({
    runs: (await database.runs(no)).map(({ id }) => id),
    refusals: (await database.query<{ refusals: number }>('select refusals from serp_engines')).map(
      (one) => one.refusals,
    ),
    busy: await database.query(
      `select check_no::float8 as no, busy_until <= clock() + interval '60 seconds' as within_lease
       from serp_exits where busy_until is not null`,
    ),
  })
  const claimOne = async () => {
    const [claimed] = await claimIn(database)
    if (!claimed) throw new Error('nothing was claimed')
    return claimed
  }

  test('has written neither; the record that is repeated counts once, however often it is', async () => {
    const no = await addSearch(database, await database.team())
    const claimed = await claimOne()
    await using _ = await dieOnce()
    await expect(recordIn(database, claimed, { outcome: 'blocked' })).rejects.toSatisfy(isStoreAway)
    expect(await state(no)).toEqual({ runs: [], refusals: [], busy: [{ no, within_lease: true }] })
    expect(await recordIn(database, claimed, { outcome: 'blocked' })).toEqual(new Set([no]))
    expect(await state(no)).toEqual({ runs: [claimed.run_id], refusals: [1], busy: [] })
    expect(await recordIn(database, claimed, { outcome: 'blocked' })).toEqual(new Set())
    expect(await state(no)).toEqual({ runs: [claimed.run_id], refusals: [1], busy: [] })
  })

  test('leaves the run to the next claim, and the exit is free when the lease ends', async () => {
    const team = await database.team()
    const no = await addSearch(database, team)
    const claimed = await claimOne()
    await using _ = await dieOnce()
    await expect(recordIn(database, claimed, { outcome: 'ok' })).rejects.toSatisfy(isStoreAway)
    expect(await state(no)).toEqual({ runs: [], refusals: [], busy: [{ no, within_lease: true }] })
    expect(await claimIn(database)).toEqual([])
    await database.setClock('61 seconds')
    const again = await claimOne()
    expect(again).toMatchObject({ no, run_id: claimed.run_id })
    expect(await recordIn(database, claimed, { outcome: 'blocked' })).toEqual(new Set())
    expect(await recordIn(database, again, { outcome: 'blocked' })).toEqual(new Set([no]))
    expect(await state(no)).toEqual({ runs: [claimed.run_id], refusals: [1], busy: [] })
    expect(await database.usage(team)).toMatchObject({ runs_used: 1 })
  })
})

describe('ten failures in a row', () => {
  test('pause the monitor, with a line of the actor System and a mail to the owner', async () => {
    const team = await database.team()
    await database.query(
      `insert into auth.users (id, name, email, email_verified)
         select owner_user_id, 'O', 'owner@example.com', true from teams where id = $1`,
      [team],
    )
    const no = await addSearch(database, team)
    const mails: NewMail[] = []
    const more = {
      mails: { add: async (_: unknown, mail: NewMail) => mails.push(mail) > 0 },
      linkOf: (id: string) => `https://dash.example/serp-monitors/${id}`,
    }
    for (let n = 0; n < 9; n++) {
      await makeDue(database, no)
      await checkIn(database, { outcome: 'unparsed' }, more)
    }
    expect(await database.query('select paused from monitors where no = $1', [no])).toEqual([{ paused: false }])
    expect((await database.check(no)).next_ms).not.toBeNull()
    expect(mails).toEqual([])
    await makeDue(database, no)
    await checkIn(database, { outcome: 'unparsed' }, more)

    expect(await database.query('select paused from monitors where no = $1', [no])).toEqual([{ paused: true }])
    expect(await database.check(no)).toMatchObject({ next_ms: null, due_ms: null, failures: 10 })
    expect(
      await database.query('select action, actor_type, actor_label from audit_events where team_id = $1', [team]),
    ).toEqual([{ action: 'serp_monitor.paused', actor_type: 'system', actor_label: 'System' }])
    expect(mails).toMatchObject([
      {
        kind: 'serp_auto_paused',
        to: 'owner@example.com',
        monitor_name: 'S',
        consecutive_failures: 10,
        reason: 'It did not work.',
        link: expect.stringContaining('https://dash.example/serp-monitors/'),
      },
    ])
  })

  test('are not reached by faults of this installation, and a success begins the count again', async () => {
    const no = await addSearch(database, await database.team())
    const next = () => makeDue(database, no)
    await checkIn(database, { outcome: 'failed', error_code: 'internal' })
    expect(await database.check(no)).toMatchObject({ failures: 0 })
    await next()
    await checkIn(database, { outcome: 'engine_error' })
    await next()
    await checkIn(database, { outcome: 'ok' })
    expect(await database.check(no)).toMatchObject({ failures: 0 })
  })
})

describe('the notices of a search', () => {
  const events = (no: number) =>
    database.query('select kind, run_id, detail from notice_events where monitor_no = $1 order by run_id', [no])
  async function checked(no: number, outcome: 'unparsed' | 'ok', failures?: number) {
    await database.query(
      `update checks
       set due_at = clock(), next_run_at = coalesce(next_run_at, clock()), failures = coalesce($2, failures)
       where no = $1`,
      [no, failures],
    )
    return checkIn(database, { outcome })
  }
  const failing = (run: { run_id: string }, count: number) => ({
    kind: 'failing',
    run_id: run.run_id,
    detail: { consecutive_failures: count },
  })

  test('are written after the fifth failure, after the tenth that pauses it, and after the recovery', async () => {
    const no = await addSearch(database, await database.team(), { notifyOn: ['failing', 'recovered'] })
    await checked(no, 'unparsed', 3)
    expect(await events(no)).toEqual([])
    const fifth = await checked(no, 'unparsed')
    for (let n = 0; n < 4; n++) await checked(no, 'unparsed')
    const tenth = await checked(no, 'unparsed')
    expect(await events(no)).toEqual([failing(fifth, 5), failing(tenth, 10)])
    await changeMonitors(database, no, { paused: false })
    await database.store.transaction((tx) => startSchedule(tx, no, SEARCH_TABLE))
    await checked(no, 'unparsed')
    const back = await checked(no, 'ok')
    await checked(no, 'ok')
    expect((await events(no)).slice(2)).toEqual([{ kind: 'recovered', run_id: back.run_id, detail: {} }])
  })

  test('are not written about a pause that only the mail to the owner reports', async () => {
    const no = await addSearch(database, await database.team())
    const fifth = await checked(no, 'unparsed', 4)
    await checked(no, 'unparsed', 9)
    expect(await events(no)).toEqual([failing(fifth, 5)])
  })
})
