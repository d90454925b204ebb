import { describe, expect, test } from 'vitest'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { forgetReading } from '../../support/database/check-states.ts'
import { html, pageOf, status } from '../../support/network/site.ts'
import { givenNotices } from './given-notices.ts'

const given = givenNotices()

test('a field that is missing three runs in a row causes one notice, where the monitor wants that', async () => {
  const fields = { price: '.price', title: 'title' }
  const { no } = await given.failedBefore(0, { extract: { method: 'css', fields } })
  await changeMonitors(given.database, no, { notifyOn: ['field_missing'] })
  await given.start()
  await given.next(no)
  given.site.answer(html('<title>A kettle</title>'))
  await given.next(no)
  await given.next(no)
  expect(await given.notices(no)).toEqual([])
  const third = await given.next(no)
  await given.next(no)
  given.site.price('$8')
  await given.next(no)
  const [notice, ...more] = await given.database.query(
    'select kind, run_id, detail from notice_events where monitor_no = $1 order by run_id',
    [no],
  )
  expect(notice).toEqual({ kind: 'field_missing', run_id: third?.id, detail: { fields: ['price'] } })
  expect(more).toEqual([])
})

test('a field that is missing is reported also while the others are empty for a moment', async () => {
  const fields = { price: '.price', title: 'title' }
  const { no } = await given.failedBefore(0, { extract: { method: 'css', fields } })
  await changeMonitors(given.database, no, { notifyOn: ['field_missing'] })
  await given.start()
  for (const answer of [pageOf('$1'), '<title>A</title>', '<title>A</title>', '<title> </title>', pageOf('$1')]) {
    given.site.answer(html(answer))
    await given.next(no)
  }
  expect(
    await given.database.query(`select kind, detail from notice_events where monitor_no = $1 order by run_id`, [no]),
  ).toEqual([{ kind: 'field_missing', detail: { fields: ['price'] } }])
})

test('a field that went missing with all others is reported when another has a value again', async () => {
  const fields = { price: '.price', title: 'title' }
  const { no } = await given.failedBefore(0, { extract: { method: 'css', fields } })
  await changeMonitors(given.database, no, { notifyOn: ['field_missing'] })
  await given.start()
  const empty = '<title> </title>'
  for (const answer of [pageOf('$1'), empty, empty, empty, '<title>A</title>', '<title>B</title>']) {
    given.site.answer(html(answer))
    await given.next(no)
  }
  const told = await given.database.query(
    `select kind, detail from notice_events where monitor_no = $1 order by run_id, kind`,
    [no],
  )
  expect(told).toEqual([
    { kind: 'field_missing', detail: {} },
    { kind: 'field_missing', detail: { fields: ['price'] } },
    { kind: 'recovered', detail: {} },
  ])
})

describe('a monitor whose fields are all empty', () => {
  const EMPTY = html('<!doctype html><p>Closed.</p>')
  const ALL_EMPTY = expect.stringMatching(/^No field has a value/)

  test('causes one notice, after its first run, which warns; the value after it causes a recovery', async () => {
    given.site.answer(EMPTY)
    const { no } = await given.failedBefore(0)
    await given.start()
    const first = await given.next(no)
    expect(first).toMatchObject({
      status: 'success',
      warnings: [expect.stringMatching(/^The field "price" has no match on the page\./), ALL_EMPTY],
    })
    await given.next(no)
    expect(await given.notices(no)).toEqual([{ kind: 'field_missing', run_id: first?.id, isDue: true }])
    given.site.price('$7')
    const back = await given.next(no)
    await given.next(no)
    expect(await given.notices(no)).toMatchObject([{ kind: 'field_missing' }, { kind: 'recovered', run_id: back?.id }])
    expect(await given.database.check(no)).toMatchObject({ failures: 0 })
  })

  test('causes a notice after the third run in a row, though its page is the same to the byte', async () => {
    const { no } = await given.failedBefore(0)
    await given.start()
    await given.next(no)
    given.site.answer(EMPTY)
    await given.next(no)
    await given.next(no)
    expect(await given.notices(no)).toEqual([])
    const third = await given.next(no)
    expect(third?.warnings).toContainEqual(ALL_EMPTY)
    const fourth = await given.next(no)
    expect(fourth).toMatchObject({ reading_id: third?.id, warnings: null })
    expect(await given.notices(no)).toMatchObject([{ kind: 'field_missing', run_id: third?.id }])
  })

  test.each([
    ['the same bytes', EMPTY],
    ['other bytes', html('<!doctype html><p>Still closed.</p>')],
  ])('has not recovered from failures with %s, and has with a value', async (_what, after) => {
    given.site.answer(EMPTY)
    const { no } = await given.failedBefore(0)
    await given.start()
    await given.next(no)
    await given.next(no)
    given.site.answer(status(500))
    for (let n = 0; n < 5; n++) await given.next(no)
    given.site.answer(after)
    await given.next(no)
    expect((await given.notices(no)).map(({ kind }) => kind)).toEqual(['field_missing', 'failing'])
    given.site.price('$7')
    const back = await given.next(no)
    expect((await given.notices(no)).slice(2)).toMatchObject([{ kind: 'recovered', run_id: back?.id }])
  })

  test('causes none when a value comes back before the third run', async () => {
    const { no } = await given.failedBefore(0)
    await given.start()
    for (const answer of [pageOf('$1'), '<p>', '<p>', pageOf('$2'), '<p>', '<p>', pageOf('$3')]) {
      given.site.answer(html(answer))
      await given.next(no)
    }
    expect(await given.notices(no)).toEqual([])
  })

  test('an element without text is empty too, and a failed run between neither counts nor ends the count', async () => {
    const { no } = await given.failedBefore(0)
    await given.start()
    await given.next(no)
    for (const answer of [html(pageOf('')), status(500), html(pageOf(' ')), html(pageOf('&nbsp;'))]) {
      expect(await given.notices(no)).toEqual([])
      given.site.answer(answer)
      await given.next(no)
    }
    expect(await given.notices(no)).toMatchObject([{ kind: 'field_missing' }])
  })

  test('causes after an edit neither a second notice nor a second recovery', async () => {
    given.site.answer(EMPTY)
    const { no } = await given.failedBefore(0)
    await given.start()
    await given.next(no)
    const edited = () => forgetReading(given.database, 'all')
    await edited()
    await given.next(no)
    expect(await given.notices(no)).toMatchObject([{ kind: 'field_missing' }])
    await edited()
    given.site.price('$7')
    await given.next(no)
    await edited()
    await given.next(no)
    expect((await given.notices(no)).map(({ kind }) => kind)).toEqual(['field_missing', 'recovered'])
  })

  test('one field with a value is enough: no notice, and the first run warns about the other', async () => {
    const extract = { method: 'css', fields: { price: '.price', stock: '.stock' } }
    const { no } = await given.failedBefore(0, { extract })
    await given.start()
    expect(await given.next(no)).toMatchObject({ warnings: [expect.stringMatching(/^The field "stock" has no match/)] })
    expect(await given.notices(no)).toEqual([])
  })
})
