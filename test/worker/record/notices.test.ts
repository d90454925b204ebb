import { describe, expect, test } from 'vitest'
import { notifyOfEvents } from '../../../store/deliveries/notify-of-events.ts'
import { monitorSpec, PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { lockMonitor, saveMonitor } from '../../../store/monitors/monitor-edit.ts'
import { startSchedule, stopSchedule } from '../../../store/monitors/monitor-pause.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { askForRun, failTimes, stopChecks } from '../../support/database/check-states.ts'
import { html, pageOf, status } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'
import { givenNotices } from './given-notices.ts'

const given = givenNotices()
const throwIt = (_event: unknown, error: unknown) => {
  throw error
}

test('the fifth failure in a row causes one notice, with its run; the fourth and the sixth cause none', async () => {
  given.site.answer(status(500))
  const { no } = await given.failedBefore(3)
  await given.start()
  await given.next(no)
  expect(await given.notices(no)).toEqual([])
  const fifth = await given.next(no)
  await given.next(no)
  expect(await given.notices(no)).toEqual([{ kind: 'failing', run_id: fifth?.id, isDue: true }])
  expect(given.wakes).toBe(1)
})

test('the success after it causes one notice, also where the page is the very same as before', async () => {
  const { no } = await given.failedBefore(0)
  await given.start()
  await given.next(no)
  await failTimes(given.database, no, 4)
  given.site.answer(status(500))
  await given.next(no)
  given.site.answer(html(pageOf('$1')))
  const back = await given.next(no)
  await given.next(no)
  expect(await given.notices(no)).toMatchObject([{ kind: 'failing' }, { kind: 'recovered', run_id: back?.id }])
})

test('the notice of a recovery with new values names its run', async () => {
  const { no } = await given.failedBefore(4)
  given.site.answer(status(500))
  await given.start()
  await given.next(no)
  given.site.price('$7')
  const back = await given.next(no)
  expect(await given.notices(no)).toMatchObject([{ kind: 'failing' }, { kind: 'recovered', run_id: back?.id }])
})

test('it causes another notice when it fails again', async () => {
  given.site.answer(status(500))
  const { no } = await given.failedBefore(4)
  await given.start()
  await given.next(no)
  given.site.price('$1')
  await given.next(no)
  given.site.answer(status(500))
  for (let n = 0; n < 5; n++) await given.next(no)
  expect((await given.notices(no)).map(({ kind }) => kind)).toEqual(['failing', 'recovered', 'failing'])
})

describe('what sets the count of failures to 0', () => {
  async function failingThen(act: (no: number) => Promise<unknown>) {
    const { no } = await given.failedBefore(4)
    given.site.answer(status(500))
    await given.start()
    await given.next(no)
    // Before the act, which makes the check due.
    given.site.answer(html(pageOf('$1')))
    await act(no)
    expect(await given.database.check(no)).toMatchObject({ failures: 0 })
    return no
  }
  const resume = async (no: number) => {
    await given.database.store.transaction((tx) => stopSchedule(tx, no, PAGE_TABLE))
    await given.database.store.transaction((tx) => startSchedule(tx, no, PAGE_TABLE))
  }
  const edit = async (no: number) => {
    const found = await given.database.monitor(no)
    await given.database.store.transaction(async (tx) => {
      const stored = await lockMonitor(tx, found.team_id, found.id, PAGE_TABLE)
      if (!stored) throw new Error('no monitor')
      const spec = { ...monitorSpec(stored, given.database.secrets), url: `${given.site.url}moved` }
      await saveMonitor(tx, given.database.secrets, PAGE_TABLE, {
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
  ])('%s does not hide the recovery, which has one notice', async (_, act) => {
    const no = await failingThen(act)
    await given.next(no)
    await given.next(no)
    expect((await given.notices(no)).map(({ kind }) => kind)).toEqual(['failing', 'recovered'])
  })

  test.each([
    ['a resumption', resume],
    ['an edit', edit],
  ])('after %s five more failures are reported again, and fewer are not', async (_, act) => {
    const no = await failingThen(act)
    given.site.answer(status(500))
    for (let nth = 0; nth < 4; nth++) await given.next(no)
    expect(await given.notices(no)).toMatchObject([{ kind: 'failing' }])
    await given.next(no)
    given.site.answer(html(pageOf('$1')))
    await given.next(no)
    expect((await given.notices(no)).map(({ kind }) => kind)).toEqual(['failing', 'failing', 'recovered'])
  })

  test('a success of a paused monitor causes its notice when it is resumed and works', async () => {
    const { no } = await given.failedBefore(4)
    given.site.answer(status(500))
    await given.start()
    await given.next(no)
    await given.database.store.transaction((tx) => stopSchedule(tx, no, PAGE_TABLE))
    given.site.answer(html(pageOf('$1')))
    await askForRun(given.database, no)
    await eventually(
      () => given.database.runs(no),
      (seen) => seen.length === 2,
    )
    expect((await given.notices(no)).map(({ kind }) => kind)).toEqual(['failing'])
    await given.database.store.transaction((tx) => startSchedule(tx, no, PAGE_TABLE))
    await given.next(no)
    expect((await given.notices(no)).map(({ kind }) => kind)).toEqual(['failing', 'recovered'])
  })

  test('a monitor that was not failing has no recovery', async () => {
    const { no } = await given.failedBefore(3)
    await resume(no)
    await given.start()
    await given.next(no)
    expect(await given.notices(no)).toEqual([])
  })
})

test('fewer than five failures and a success are nothing to tell', async () => {
  const { no } = await given.failedBefore(4)
  await given.start()
  await given.next(no)
  expect(await given.notices(no)).toEqual([])
})

test('a recovery causes no notice where the failing caused none', async () => {
  const { no } = await given.failedBefore(7)
  await given.start()
  await given.next(no)
  expect(await given.notices(no)).toEqual([])
})

test('a team that turned notices off gets none', async () => {
  given.site.answer(status(500))
  const { no, team } = await given.failedBefore(4)
  await given.database.query('update teams set error_notifications = false where id = $1', [team])
  await given.start()
  await given.next(no)
  expect(await given.notices(no)).toEqual([])
})

test('a paused monitor that a person runs causes no notice', async () => {
  given.site.answer(status(500))
  const { no } = await given.failedBefore(4)
  // It is paused: nothing else of it is scheduled.
  await stopChecks(given.database, no)
  await askForRun(given.database, no)
  await given.start()
  await eventually(
    () => given.database.runs(no),
    (seen) => seen.length === 1,
  )
  expect(await given.notices(no)).toEqual([])
})

test('a team that wants no mail gets notices where the monitor sends them to its destinations', async () => {
  given.site.answer(status(500))
  const { no, team } = await given.failedBefore(4)
  await given.database.query('update teams set error_notifications = false where id = $1', [team])
  await changeMonitors(given.database, no, { notifyOn: ['failing'] })
  await given.start()
  const fifth = await given.next(no)
  expect(await given.notices(no)).toMatchObject([{ kind: 'failing', run_id: fifth?.id }])
})

test('a recovery is reported to a monitor that wants only this, and the trouble before it to nobody', async () => {
  // One call takes a bounded number of events.
  await given.database.query('delete from notice_events')
  const { team, no } = await given.failedBefore(4)
  await given.database.query('update teams set error_notifications = false where id = $1', [team])
  await changeMonitors(given.database, no, { notifyOn: ['recovered'] })
  given.site.answer(status(500))
  await given.start()
  await given.next(no)
  given.site.price('$7')
  const back = await given.next(no)
  expect(await given.notices(no)).toMatchObject([{ kind: 'failing' }, { kind: 'recovered', run_id: back?.id }])
  const recipients: [string, number][] = []
  await notifyOfEvents(
    given.database.store,
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
  given.site.answer(status(500))
  const { no } = await given.failedBefore(4)
  await given.database.query(`alter table notice_events add constraint none check (kind <> 'failing') not valid`)
  await given.start()
  expect(await given.next(no)).toMatchObject({ status: 'error', error_code: 'internal' })
  await given.database.query('alter table notice_events drop constraint none')
  expect(await given.notices(no)).toEqual([])
  expect(await given.database.check(no)).toMatchObject({ failures: 4, run_id: null })
})

test.each([
  ['whose answer was lost', 'COMMIT'],
  ['that the store loses before its end', 'insert into notice_events'],
])('a record %s is written again, and has one notice', async (_, message) => {
  given.site.answer(status(500))
  const { no } = await given.failedBefore(4)
  await given.start()
  const before = given.proxy.resets
  given.proxy.swallowAnswerTo(message)
  const fifth = await given.next(no)
  await given.worker?.stop(1_000)
  expect(given.proxy.resets).toBe(before + 1)
  expect(await given.notices(no)).toMatchObject([{ kind: 'failing', run_id: fifth?.id }])
  expect(await given.database.check(no)).toMatchObject({ failures: 5, run_id: null })
  expect(await given.database.runs(no)).toHaveLength(1)
})
