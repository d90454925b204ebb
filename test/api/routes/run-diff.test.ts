import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { RunDiff } from '../../../schema/run/run-diff.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { row } from '../../../store/db/row.ts'
import { forgetOld } from '../../../store/maintenance/retention.ts'
import { faultsOf } from '../../support/api/monitor-requests.ts'
import { startWatching, type Watched } from '../../support/api/watching.ts'
import { shared } from '../../support/run/shared.ts'

const watching = shared(() => startWatching())

const ANY = { diff_predicate: { type: 'any_field_changes' } } as const
const WHOLE = { ...ANY, extract_config: { method: 'full_page' } } as const
const SLACK = { type: 'slack', webhookUrl: 'http://127.0.0.1:9/hook' } as const
const news = (...items: string[]) => `<title>News</title><ul>${items.map((item) => `<li>${item}`).join('')}</ul>`
const diffOf = async (id: string) => watching.served.me.get(`/v1/runs/${id}/diff`)
const count = () =>
  watching.served.api.services.store.oneFirst(
    sql.type(row({ count: Type.Integer() }))`select count(*) as count from page_texts`,
  )

async function changedRun(page: Watched, to: string) {
  page.set(to)
  const run = await page.run()
  expect(run).toMatchObject({ status: 'success', delivery_triggered: true })
  return run
}

describe('the diff of a run', () => {
  test('shows what changed in the readable text of a whole page', async () => {
    const page = await watching.watch(news('One', 'Two'), { ...WHOLE, deliveries: [SLACK] })
    const run = await changedRun(page, news('One', 'Two and a half'))
    const { status, body } = await diffOf(run.id)
    expect(status).toBe(200)
    expect(checkerOf(RunDiff).validate(body)).toMatchObject({ ok: true })
    expect(body).toMatchObject({
      run_id: run.id,
      fields: [
        {
          field: 'content_hash',
          of: 'page_text',
          unified: '@@ -1,3 +1,3 @@\n News\n - One\n-- Two\n+- Two and a half\n',
          lines_added: 1,
          lines_removed: 1,
        },
      ],
    })
  })

  test('shows the texts of other methods, and says when a value is not a text', async () => {
    const page = await watching.watch({ value: 'one\ntwo', other: 1 }, { ...ANY, deliveries: [SLACK] })
    const run = await changedRun(page, JSON.stringify({ value: 'one\nthree', other: 2 }))
    expect((await diffOf(run.id)).body['fields']).toMatchObject([
      { field: 'value', of: 'value', unified: '@@ -1,2 +1,2 @@\n one\n-two\n+three\n' },
    ])
    const other = await changedRun(page, JSON.stringify({ value: 'one\nthree', other: 3 }))
    expect(await diffOf(other.id)).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND', message: expect.stringMatching('not texts') } },
    })
  })

  test('is a 404 that says why where there is nothing to compare', async () => {
    const page = await watching.watch(news('One'), { ...WHOLE, deliveries: [SLACK] })
    const message = async (id: string) => {
      const { status, body } = await diffOf(id)
      return [status, body.error.message]
    }
    expect(await message(page.baseline.id)).toEqual([404, expect.stringMatching('no difference')])
    expect(await message('0197a000-0000-7000-8000-000000000000')).toEqual([404, 'There is no such run.'])
    expect((await watching.served.as(null).get(`/v1/runs/${page.baseline.id}/diff`)).status).toBe(401)
    const stranger = await watching.served.anotherTeam()
    const run = await changedRun(page, news('Two'))
    expect((await stranger.get(`/v1/runs/${run.id}/diff`)).status).toBe(404)
    page.set('GIF89a', 'image/gif')
    const picture = await page.run()
    expect(await message(picture.id)).toEqual([404, expect.stringMatching('was not kept')])
  })
})

describe('the message about a whole page', () => {
  test('has an excerpt, in a block beyond the contract', async () => {
    const page = await watching.watch(news('One', 'Two'), { ...WHOLE, deliveries: [SLACK] })
    const run = await changedRun(page, news('One', 'Three', 'Four'))
    const { data } = (await watching.served.me.get(`/v1/runs/${run.id}/deliveries`)).body
    expect(data).toMatchObject([
      { payload: { text: { lines_added: 2, lines_removed: 1, excerpt: '- - Two\n+ - Three\n+ - Four' } } },
    ])
  })

  test('says that no text changed where only the source did', async () => {
    const page = await watching.watch(news('One'), { ...WHOLE, deliveries: [SLACK] })
    const run = await changedRun(page, `${news('One')}<!-- 2 -->`)
    const { data } = (await watching.served.me.get(`/v1/runs/${run.id}/deliveries`)).body
    expect(data).toMatchObject([{ payload: { text: { lines_added: 0, lines_removed: 0, excerpt: '' } } }])
    expect((await diffOf(run.id)).body['fields']).toMatchObject([{ unified: '', words: [] }])
  })

  test('is not sent with an ignore block when only what it names changed', async () => {
    const ignore = { selectors: ['.ad'], patterns: ['^Updated'] }
    const extract_config = { method: 'full_page', ignore }
    const at = (time: string, news: string) => `<p class=ad>${time}</p><p>Updated ${time}</p><p>${news}</p>`
    const page = await watching.watch(at('1', 'a'), { ...ANY, extract_config, deliveries: [SLACK] })
    page.set(at('2', 'a'))
    expect(await page.run()).toMatchObject({ status: 'success', delivery_triggered: false, diff: {} })
    const run = await changedRun(page, at('3', 'b'))
    expect((await diffOf(run.id)).body['fields']).toMatchObject([{ unified: '@@ -1 +1 @@\n-a\n+b\n' }])
  })
})

test('an ignore block that cannot run is refused with its path, and so is one of a method without a tree', async () => {
  const issues = (extract_config: object) => faultsOf(watching.served.me, { extract_config })
  const ignore = { selectors: ['.a', 'a[', 'li[]'], patterns: ['ok', '('] }
  expect(await issues({ method: 'full_page', ignore })).toEqual([
    'extract_config.ignore.patterns[1]',
    'extract_config.ignore.selectors[1]',
    'extract_config.ignore.selectors[2]',
  ])
  expect(await issues({ method: 'json_path', fields: { a: '$' }, ignore: {} })).toEqual(['extract_config.ignore'])
  const ofFields = { selectors: ['li[]'], patterns: ['ok'] }
  expect(await issues({ method: 'css', fields: { a: 'b' }, ignore: ofFields })).toEqual([
    'extract_config.ignore.patterns',
    'extract_config.ignore.selectors[0]',
  ])
  expect(await issues({ method: 'full_page', ignore: { lines: [] } })).toEqual(['extract_config.ignore.lines'])
})

describe('the kept texts', () => {
  test('are one for each text of a team, and none for an unchanged page', async () => {
    const me = await watching.served.anotherTeam()
    const before = await count()
    const pages = [await watching.watch(news('Same'), WHOLE, me), await watching.watch(news('Same'), WHOLE, me)]
    expect(await count()).toBe(before + 1)
    await pages[0]?.run()
    pages[0]?.set(`${news('Same')}<!-- other source -->`)
    await pages[0]?.run()
    expect(await count()).toBe(before + 1)
    pages[0]?.set(news('Other'))
    await pages[0]?.run()
    expect(await count()).toBe(before + 2)
  })

  test('go with the retention window, but the text of a baseline stays', async () => {
    const page = await watching.watch(news('Old'), { ...WHOLE, deliveries: [SLACK] })
    const run = await changedRun(page, news('New'))
    await watching.setClock(800 * 86_400)
    try {
      // The page is due by now. Its scheduled check must not read the change that the next run is to find.
      await page.run()
      const kept = await count()
      await forgetOld(watching.served.api.services.store, new AbortController().signal)
      expect((await diffOf(run.id)).status).toBe(404)
      expect(await count()).toBeLessThan(kept)
      const later = await changedRun(page, news('Newest'))
      await forgetOld(watching.served.api.services.store, new AbortController().signal)
      expect((await diffOf(later.id)).body['fields']).toMatchObject([{ lines_added: 1, lines_removed: 1 }])
    } finally {
      await watching.setClock(0)
    }
  })
})
