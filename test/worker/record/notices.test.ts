import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { html, openSite, pageOf, type Site, status } from '../../support/site.ts'
import { eventually } from '../../support/eventually.ts'
import { type RunningWorker, startWorker } from '../../support/check-worker.ts'
import { type MonitorOptions, openQueueWorld, type QueueWorld } from '../../store/queue/queue-world.ts'
import { tellEvents } from '../../../store/deliveries/notices.ts'
import { lockMonitor, saveMonitor } from '../../../store/monitors/monitor-edit.ts'
import { monitorSpec } from '../../../store/monitors/monitor-record.ts'
import { startSchedule, stopSchedule } from '../../../store/monitors/monitor-pause.ts'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

let database: QueueWorld
let site: Site
let proxy: TcpProxy
let worker: RunningWorker | undefined
let wakes = 0
beforeAll(async () => {
  database = await openQueueWorld()
  proxy = await openTcpProxy(database.url)
})
beforeEach(async () => {
  site = await openSite()
  wakes = 0
})
afterEach(async () => {
  proxy.mend()
  await worker?.[Symbol.asyncDispose]()
  worker = undefined
  await site[Symbol.asyncDispose]()
  await database.query('update checks set due_at = null, next_run_at = null, run_id = null')
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** A monitor that has failed so many times in a row, due now, and a worker that sees its page as the site has it. */
async function failedBefore(failures: number, options: MonitorOptions = {}) {
  const team = await database.team()
  const [no = 0] = await database.monitors(team, { url: site.url, dueSeconds: -60, ...options })
  await database.query('update checks set failures = $2 where no = $1', [no, failures])
  return { team, no }
}
const start = async () => {
  worker = await startWorker({
    url: proxy.url,
    secrets: database.secrets,
    onNotices: () => void (wakes += 1),
  })
}
async function next(no: number) {
  const { length } = await database.runs(no)
  await database.query(
    'update checks set due_at = clock(), next_run_at = coalesce(next_run_at, clock()) where no = $1',
    [no],
  )
  const runs = await eventually(
    () => database.runs(no),
    (seen) => seen.length > length,
  )
  return runs.at(-1)
}
const throwIt = (_event: unknown, error: unknown) => {
  throw error
}
const notices = (no: number) =>
  database.query<{ kind: string; run_id: string; isDue: boolean }>(
    `select kind, run_id, due_at <= clock() as "isDue" from notice_events where monitor_no = $1 order by run_id`,
    [no],
  )

test('the fifth failure in a row causes one notice, with its run; the fourth and the sixth cause none', async () => {
  site.answer(status(500))
  const { no } = await failedBefore(3)
  await start()
  await next(no)
  expect(await notices(no)).toEqual([])
  const fifth = await next(no)
  await next(no)
  expect(await notices(no)).toEqual([{ kind: 'failing', run_id: fifth?.id, isDue: true }])
  expect(wakes).toBe(1)
})

test('the success after it causes one notice, also where the page is the very same as before', async () => {
  const { no } = await failedBefore(0)
  await start()
  await next(no)
  await database.query('update checks set failures = 4 where no = $1', [no])
  site.answer(status(500))
  await next(no)
  site.answer(html(pageOf('$1')))
  const back = await next(no)
  await next(no)
  expect(await notices(no)).toMatchObject([{ kind: 'failing' }, { kind: 'recovered', run_id: back?.id }])
})

test('the notice of a recovery with new values names its run', async () => {
  const { no } = await failedBefore(4)
  site.answer(status(500))
  await start()
  await next(no)
  site.price('$7')
  const back = await next(no)
  expect(await notices(no)).toMatchObject([{ kind: 'failing' }, { kind: 'recovered', run_id: back?.id }])
})

test('it causes another notice when it fails again', async () => {
  site.answer(status(500))
  const { no } = await failedBefore(4)
  await start()
  await next(no)
  site.price('$1')
  await next(no)
  site.answer(status(500))
  for (let n = 0; n < 5; n++) await next(no)
  expect((await notices(no)).map(({ kind }) => kind)).toEqual(['failing', 'recovered', 'failing'])
})

describe('what sets the count of failures to 0', () => {
  async function failingThen(act: (no: number) => Promise<unknown>) {
    const { no } = await failedBefore(4)
    site.answer(status(500))
    await start()
    await next(no)
    // Before the act, which makes the check due.
    site.answer(html(pageOf('$1')))
    await act(no)
    expect(await database.check(no)).toMatchObject({ failures: 0 })
    return no
  }
  const resume = async (no: number) => {
    await database.store.transaction((tx) => stopSchedule(tx, no))
    await database.store.transaction((tx) => startSchedule(tx, no))
  }
  const edit = async (no: number) => {
    const [found] = await database.query<{ id: string; team_id: string }>(
      'select id, team_id from monitors where no = $1',
      [no],
    )
    await database.store.transaction(async (tx) => {
      const stored = found && (await lockMonitor(tx, found.team_id, found.id))
      if (!stored) throw new Error('no monitor')
      const spec = { ...monitorSpec(stored, database.secrets), url: `${site.url}moved` }
      await saveMonitor(tx, database.secrets, {
        stored,
        spec,
        changed: ['url'],
        resetsBaseline: true,
        startsOver: true,
      })
    })
  }

  test.each([
    ['a resumption', resume],
    ['an edit', edit],
  ])('%s does not hide the recovery, which is told once', async (_, act) => {
    const no = await failingThen(act)
    await next(no)
    await next(no)
    expect((await notices(no)).map(({ kind }) => kind)).toEqual(['failing', 'recovered'])
  })

  test('a success of a paused monitor causes its notice when it is resumed and works', async () => {
    const { no } = await failedBefore(4)
    site.answer(status(500))
    await start()
    await next(no)
    await database.store.transaction((tx) => stopSchedule(tx, no))
    site.answer(html(pageOf('$1')))
    await database.query('update checks set due_at = clock(), queued_run_id = new_run_id(clock(), no) where no = $1', [
      no,
    ])
    await eventually(
      () => database.runs(no),
      (seen) => seen.length === 2,
    )
    expect((await notices(no)).map(({ kind }) => kind)).toEqual(['failing'])
    await database.store.transaction((tx) => startSchedule(tx, no))
    await next(no)
    expect((await notices(no)).map(({ kind }) => kind)).toEqual(['failing', 'recovered'])
  })

  test('a monitor that was not failing has no recovery', async () => {
    const { no } = await failedBefore(3)
    await resume(no)
    await start()
    await next(no)
    expect(await notices(no)).toEqual([])
  })
})

test('fewer than five failures and a success are nothing to tell', async () => {
  const { no } = await failedBefore(4)
  await start()
  await next(no)
  expect(await notices(no)).toEqual([])
})

test('a recovery causes no notice where the failing caused none', async () => {
  const { no } = await failedBefore(7)
  await start()
  await next(no)
  expect(await notices(no)).toEqual([])
})

test('a team that turned notices off gets none', async () => {
  site.answer(status(500))
  const { no, team } = await failedBefore(4)
  await database.query('update teams set error_notifications = false where id = $1', [team])
  await start()
  await next(no)
  expect(await notices(no)).toEqual([])
})

test('a paused monitor that a person runs causes no notice', async () => {
  site.answer(status(500))
  const { no } = await failedBefore(4)
  await database.query(
    'update checks set next_run_at = null, due_at = clock(), queued_run_id = new_run_id(clock(), no) where no = $1',
    [no],
  )
  await start()
  await eventually(
    () => database.runs(no),
    (seen) => seen.length === 1,
  )
  expect(await notices(no)).toEqual([])
})

test('a team that wants no mail gets notices where the monitor sends them to its destinations', async () => {
  site.answer(status(500))
  const { no, team } = await failedBefore(4)
  await database.query('update teams set error_notifications = false where id = $1', [team])
  await database.query(`update monitors set notify_on = '{failing}' where no = $1`, [no])
  await start()
  const fifth = await next(no)
  expect(await notices(no)).toMatchObject([{ kind: 'failing', run_id: fifth?.id }])
})

test('a field that is missing three runs in a row causes one notice, where the monitor wants that', async () => {
  const fields = { price: '.price', title: 'title' }
  const { no } = await failedBefore(0, { extract: { method: 'css', fields } })
  await database.query(`update monitors set notify_on = '{field_missing}' where no = $1`, [no])
  await start()
  await next(no)
  site.answer(html('<title>A kettle</title>'))
  await next(no)
  await next(no)
  expect(await notices(no)).toEqual([])
  const third = await next(no)
  await next(no)
  site.price('$8')
  await next(no)
  const [told, ...more] = await database.query(
    'select kind, run_id, detail from notice_events where monitor_no = $1 order by run_id',
    [no],
  )
  expect(told).toEqual({ kind: 'field_missing', run_id: third?.id, detail: { fields: ['price'] } })
  expect(more).toEqual([])
})

test('a field that is missing is told also while the others are empty for a moment', async () => {
  const fields = { price: '.price', title: 'title' }
  const { no } = await failedBefore(0, { extract: { method: 'css', fields } })
  await database.query(`update monitors set notify_on = '{field_missing}' where no = $1`, [no])
  await start()
  for (const answer of [pageOf('$1'), '<title>A</title>', '<title>A</title>', '<title> </title>', pageOf('$1')]) {
    site.answer(html(answer))
    await next(no)
  }
  expect(
    await database.query(`select kind, detail from notice_events where monitor_no = $1 order by run_id`, [no]),
  ).toEqual([{ kind: 'field_missing', detail: { fields: ['price'] } }])
})

test('a recovery is told to a monitor that wants only this, and the trouble before it to nobody', async () => {
  const { team, no } = await failedBefore(4)
  await database.query('update teams set error_notifications = false where id = $1', [team])
  await database.query(`update monitors set notify_on = '{recovered}' where no = $1`, [no])
  site.answer(status(500))
  await start()
  await next(no)
  site.price('$7')
  const back = await next(no)
  expect(await notices(no)).toMatchObject([{ kind: 'failing' }, { kind: 'recovered', run_id: back?.id }])
  const recipients: [string, number][] = []
  await tellEvents(
    database.store,
    ({ event, monitors }) => {
      if (event.monitor_no === no) recipients.push([event.kind, monitors.length])
      return []
    },
    throwIt,
  )
  expect(recipients).toEqual([
    ['failing', 0],
    ['recovered', 1],
  ])
})

test('a notice that the store refuses does not stop its monitor: the run is an internal error', async () => {
  site.answer(status(500))
  const { no } = await failedBefore(4)
  await database.query(`alter table notice_events add constraint none check (kind <> 'failing') not valid`)
  await start()
  expect(await next(no)).toMatchObject({ status: 'error', error_code: 'internal' })
  await database.query('alter table notice_events drop constraint none')
  expect(await notices(no)).toEqual([])
  expect(await database.check(no)).toMatchObject({ failures: 4, run_id: null })
})

test.each([
  ['whose answer was lost', 'COMMIT'],
  ['that the store loses before its end', 'insert into notice_events'],
])('a record %s is written again, and told once', async (_, message) => {
  site.answer(status(500))
  const { no } = await failedBefore(4)
  await start()
  const before = proxy.resets
  proxy.swallowAnswerTo(message)
  const fifth = await next(no)
  await worker?.stop(1_000)
  expect(proxy.resets).toBe(before + 1)
  expect(await notices(no)).toMatchObject([{ kind: 'failing', run_id: fifth?.id }])
  expect(await database.check(no)).toMatchObject({ failures: 5, run_id: null })
  expect(await database.runs(no)).toHaveLength(1)
})

describe('a monitor whose fields are all empty', () => {
  const EMPTY = html('<!doctype html><p>Closed.</p>')
  const ALL_EMPTY = expect.stringMatching(/^No field has a value/)

  test('causes one notice, after its first run, which warns; the value after it causes a recovery', async () => {
    site.answer(EMPTY)
    const { no } = await failedBefore(0)
    await start()
    const first = await next(no)
    expect(first).toMatchObject({
      status: 'success',
      warnings: [expect.stringMatching(/^The field "price" has no match on the page\./), ALL_EMPTY],
    })
    await next(no)
    expect(await notices(no)).toEqual([{ kind: 'field_missing', run_id: first?.id, isDue: true }])
    site.price('$7')
    const back = await next(no)
    await next(no)
    expect(await notices(no)).toMatchObject([{ kind: 'field_missing' }, { kind: 'recovered', run_id: back?.id }])
    expect(await database.check(no)).toMatchObject({ failures: 0 })
  })

  test('causes a notice after the third run in a row, though its page is the same to the byte', async () => {
    const { no } = await failedBefore(0)
    await start()
    await next(no)
    site.answer(EMPTY)
    await next(no)
    await next(no)
    expect(await notices(no)).toEqual([])
    const third = await next(no)
    expect(third?.warnings).toContainEqual(ALL_EMPTY)
    const fourth = await next(no)
    expect(fourth).toMatchObject({ reading_id: third?.id, warnings: null })
    expect(await notices(no)).toMatchObject([{ kind: 'field_missing', run_id: third?.id }])
  })

  test.each([
    ['the same bytes', EMPTY],
    ['other bytes', html('<!doctype html><p>Still closed.</p>')],
  ])('has not recovered from failures with %s, and has with a value', async (_what, after) => {
    site.answer(EMPTY)
    const { no } = await failedBefore(0)
    await start()
    await next(no)
    await next(no)
    site.answer(status(500))
    for (let n = 0; n < 5; n++) await next(no)
    site.answer(after)
    await next(no)
    expect((await notices(no)).map(({ kind }) => kind)).toEqual(['field_missing', 'failing'])
    site.price('$7')
    const back = await next(no)
    expect((await notices(no)).slice(2)).toMatchObject([{ kind: 'recovered', run_id: back?.id }])
  })

  test('causes none when a value comes back before the third run', async () => {
    const { no } = await failedBefore(0)
    await start()
    for (const answer of [pageOf('$1'), '<p>', '<p>', pageOf('$2'), '<p>', '<p>', pageOf('$3')]) {
      site.answer(html(answer))
      await next(no)
    }
    expect(await notices(no)).toEqual([])
  })

  test('an element without text is empty too, and a failed run between neither counts nor ends the count', async () => {
    const { no } = await failedBefore(0)
    await start()
    await next(no)
    for (const answer of [html(pageOf('')), status(500), html(pageOf(' ')), html(pageOf('&nbsp;'))]) {
      expect(await notices(no)).toEqual([])
      site.answer(answer)
      await next(no)
    }
    expect(await notices(no)).toMatchObject([{ kind: 'field_missing' }])
  })

  test('causes after an edit neither a second notice nor a second recovery', async () => {
    site.answer(EMPTY)
    const { no } = await failedBefore(0)
    await start()
    await next(no)
    const edited = () => database.query('update checks set reading_id = null, reading_hash = null, body_hash = null')
    await edited()
    await next(no)
    expect(await notices(no)).toMatchObject([{ kind: 'field_missing' }])
    await edited()
    site.price('$7')
    await next(no)
    await edited()
    await next(no)
    expect((await notices(no)).map(({ kind }) => kind)).toEqual(['field_missing', 'recovered'])
  })

  test('one field with a value is enough: no notice, and the first run warns about the other', async () => {
    const extract = { method: 'css', fields: { price: '.price', stock: '.stock' } }
    const { no } = await failedBefore(0, { extract })
    await start()
    expect(await next(no)).toMatchObject({ warnings: [expect.stringMatching(/^The field "stock" has no match/)] })
    expect(await notices(no)).toEqual([])
  })
})
