import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { NewMail } from '../../../store/accounts/mail-queue.ts'
import { openQueueWorld, type QueueWorld } from './queue-world.ts'
import { addSearch, checkIn, claimIn, recordIn } from './search-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
afterEach(async () => {
  await world.setClock('0')
  await world.query('update checks set due_at = null, next_run_at = null, run_id = null, queued_run_id = null')
  await world.query('delete from serp_exits')
  await world.query('delete from serp_engines')
})
afterAll(() => world[Symbol.asyncDispose]())

const MINUTE = 60_000

/** Minutes until the engine is asked again. */
async function pauseMinutes(): Promise<number | null> {
  const [row] = await world.query<{ minutes: number }>(
    'select extract(epoch from refused_until - clock())::float8 / 60 as minutes from serp_engines',
  )
  return row ? Math.round(row.minutes) : null
}

describe('an engine that refuses', () => {
  test('is left alone for 15 minutes, doubling per consecutive refusal up to 6 hours', async () => {
    const no = await addSearch(world, await world.team(), { interval: 86_400 })
    await world.query('update checks set interval_seconds = 600 where no = $1', [no])
    const seen: (number | null)[] = []
    for (let n = 0, minutes = 0; n < 7; n++) {
      await world.query('update checks set due_at = clock(), next_run_at = clock(), failures = 0 where no = $1', [no])
      await checkIn(world, { outcome: 'blocked' })
      const pause = await pauseMinutes()
      seen.push(pause)
      minutes += (pause ?? 0) + 1
      await world.setClock(`${minutes} minutes`)
    }
    expect(seen).toEqual([15, 30, 60, 120, 240, 360, 360])
  })

  test('is asked again after the first healthy check, and the next refusal begins with 15 minutes', async () => {
    const no = await addSearch(world, await world.team())
    const refuse = async () => {
      await world.query('update checks set due_at = clock(), next_run_at = clock() where no = $1', [no])
      await checkIn(world, { outcome: 'blocked' })
    }
    await refuse()
    await world.setClock('16 minutes')
    await refuse()
    expect(await pauseMinutes()).toBe(30)
    await world.setClock('47 minutes')
    await world.query('update checks set due_at = clock(), next_run_at = clock() where no = $1', [no])
    await checkIn(world, { outcome: 'ok' })
    expect(await pauseMinutes()).toBeNull()
    await refuse()
    expect(await pauseMinutes()).toBe(15)
  })

  test('refuses checks of two exits at once: that is one refusal', async () => {
    const team = await world.team()
    await addSearch(world, team)
    await addSearch(world, team)
    const claimed = [...(await claimIn(world)), ...(await claimIn(world, { exit: 'elsewhere' }))]
    expect(claimed).toHaveLength(2)
    for (const one of claimed) await recordIn(world, one, { outcome: 'blocked' })
    expect(await pauseMinutes()).toBe(15)
  })

  test('on a later page is left alone too, and the run is a success', async () => {
    const no = await addSearch(world, await world.team(), { pages: 3 })
    await checkIn(world, { outcome: 'ok', refused: true, healthy: false, organic_results: '[]' })
    expect(await pauseMinutes()).toBe(15)
    expect(await world.runs(no)).toMatchObject([{ status: 'success', error_code: null }])
  })

  test('is not the one that answers with an error, with an unknown page, or not at all', async () => {
    const no = await addSearch(world, await world.team())
    for (const outcome of ['engine_error', 'unparsed', 'failed'] as const) {
      await world.query('update checks set due_at = clock(), next_run_at = clock() where no = $1', [no])
      await checkIn(world, { outcome })
    }
    expect(await pauseMinutes()).toBeNull()
    expect(await world.check(no)).toMatchObject({ failures: 3 })
  })
})

describe('the next time of a check', () => {
  test('that was refused is not before the end of the pause', async () => {
    const no = await addSearch(world, await world.team())
    await checkIn(world, { outcome: 'blocked' })
    const { next_ms, due_ms, now_ms } = await world.check(no)
    expect(((next_ms ?? 0) - now_ms) / MINUTE).toBeCloseTo(15, 0)
    expect(due_ms).toBe(next_ms)
  })

  test('that fell into the pause is its end, so that a pause costs one failure', async () => {
    const team = await world.team()
    await addSearch(world, team)
    await checkIn(world, { outcome: 'blocked' })
    const no = await addSearch(world, team, { interval: 86_400 })
    await checkIn(world, { outcome: 'left_alone' })
    const { next_ms, now_ms, failures } = await world.check(no)
    expect(((next_ms ?? 0) - now_ms) / MINUTE).toBeCloseTo(15, 0)
    expect(failures).toBe(1)
    await world.setClock('10 minutes')
    expect(await claimIn(world)).toEqual([])
    expect(await pauseMinutes()).toBe(5)
  })

  test('that a person asked for stays where it was, unless it is within the pause', async () => {
    const team = await world.team()
    await addSearch(world, team)
    await checkIn(world, { outcome: 'blocked' })
    const soon = await addSearch(world, team, { dueSeconds: -120 })
    const late = await addSearch(world, team, { dueSeconds: -7200 })
    await world.query(
      'update checks set queued_run_id = new_run_id(clock(), no), due_at = clock() where no = any($1::bigint[])',
      [[soon, late]],
    )
    for (const one of await claimIn(world)) await recordIn(world, one, { outcome: 'left_alone' })
    const minutes = async (no: number) => {
      const { next_ms, now_ms } = await world.check(no)
      return Math.round(((next_ms ?? 0) - now_ms) / MINUTE)
    }
    expect(await minutes(soon)).toBe(15)
    expect(await minutes(late)).toBe(120)
  })
})

describe('ten failures in a row', () => {
  test('pause the monitor, with a line of the actor System and a mail to the owner', async () => {
    const team = await world.team()
    await world.query(
      `insert into auth.users (id, name, email, email_verified)
         select owner_user_id, 'O', 'owner@example.com', true from teams where id = $1`,
      [team],
    )
    const no = await addSearch(world, team)
    const mails: NewMail[] = []
    const more = {
      mails: { add: async (_: unknown, mail: NewMail) => mails.push(mail) > 0 },
      linkOf: (id: string) => `https://dash.example/serp-monitors/${id}`,
    }
    for (let n = 0; n < 9; n++) {
      await world.query('update checks set due_at = clock(), next_run_at = clock() where no = $1', [no])
      await checkIn(world, { outcome: 'unparsed' }, more)
    }
    expect(await world.query('select paused from monitors where no = $1', [no])).toEqual([{ paused: false }])
    expect((await world.check(no)).next_ms).not.toBeNull()
    expect(mails).toEqual([])
    await world.query('update checks set due_at = clock(), next_run_at = clock() where no = $1', [no])
    await checkIn(world, { outcome: 'unparsed' }, more)

    expect(await world.query('select paused from monitors where no = $1', [no])).toEqual([{ paused: true }])
    expect(await world.check(no)).toMatchObject({ next_ms: null, due_ms: null, failures: 10 })
    expect(
      await world.query('select action, actor_type, actor_label from audit_events where team_id = $1', [team]),
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
    const no = await addSearch(world, await world.team())
    const next = () => world.query('update checks set due_at = clock(), next_run_at = clock() where no = $1', [no])
    await checkIn(world, { outcome: 'failed', error_code: 'internal' })
    expect(await world.check(no)).toMatchObject({ failures: 0 })
    await next()
    await checkIn(world, { outcome: 'engine_error' })
    await next()
    await checkIn(world, { outcome: 'ok' })
    expect(await world.check(no)).toMatchObject({ failures: 0 })
  })
})
