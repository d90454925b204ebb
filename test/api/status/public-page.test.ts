import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_SHOWN_MONITORS, type StatusPage } from '../../../schema/status/status-page.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { setClock } from '../../support/api/people.ts'
import type { Client } from '../../support/api/served-api.ts'
import { startWatching, type Watched, type Watching } from '../../support/api/watching.ts'
import { endCheck, stopChecks } from '../../support/database/check-states.ts'
import { asStranger, makeStatusPage, UNKEPT } from './strangers.ts'

const DAY = 86_400

let watching: Watching
let owner: Client
let kettle: Watched
let lamp: Watched
let page: StatusPage
beforeAll(async () => {
  watching = await startWatching({ statusBounds: UNKEPT })
  owner = watching.served.as(watching.served.owner.session_token)
  const first = { value: '$20.00', other: 1 }
  kettle = await watching.watch(first, { name: 'Kettle of the shop' })
  lamp = await watching.watch(first, { name: 'Lamp of the shop' })
  page = await publish({
    title: 'Prices <b>now</b>',
    slug: 'prices',
    shows: {
      by: 'monitors',
      monitors: [
        { monitor_id: lamp.id, name: 'A lamp' },
        { monitor_id: kettle.id, name: 'A kettle & <i>more</i>', show_value: true },
      ],
    },
  })
  for (const each of [kettle, lamp]) {
    each.set({ value: '$18.00', other: 1 })
    await each.run()
  }
})
afterAll(() => watching.close())

async function publish(body: object): Promise<StatusPage> {
  const made = await makeStatusPage(owner, body)
  expect(await owner.post(`/v1/status-pages/${made.id}/publish`)).toMatchObject({ status: 200 })
  return made
}
const look = (slug = page.slug, headers: Record<string, string> = {}) =>
  asStranger(`${watching.served.baseUrl}/status/${slug}`, headers)
const feed = (slug = page.slug) => asStranger(`${watching.served.baseUrl}/status/${slug}/feed.xml`)
const rowsOf = (text: string) =>
  [...text.matchAll(/<li>.*?<\/li>/gs)].map(([row]) => row.replace(/<[^>]*>/g, '').trim())

describe('a status page that is published', () => {
  test('shows names, states and changes in the order of the list, and values where they were chosen', async () => {
    const { status, headers, text } = await look()
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    const [first = '', second = '', ...others] = rowsOf(text)
    expect(others).toEqual([])
    expect(first).toMatch(/^A lamp\nChanged\nChanged · just now, .* UTC\nChecked just now$/)
    expect(second).toMatch(
      new RegExp(
        String.raw`^A kettle &amp; &lt;i&gt;more&lt;/i&gt;\nChanged\nvalue: \$18\.00\n` +
          String.raw`value changed from \$20\.00 to \$18\.00 · just now, `,
      ),
    )
    expect(text).toContain('<h1><bdi>Prices &lt;b&gt;now&lt;/b&gt;</bdi></h1>')
    expect(text).not.toMatch(/<script|\bon\w+=|style="/i)
  })

  test('loads nothing, sets no cookie, and is hidden from search engines unless it was chosen', async () => {
    const { headers, text } = await look()
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^ ]+'; form-action/)
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect([headers.get('x-robots-tag'), text.includes('content="noindex"')]).toEqual(['noindex', true])
    const indexed = await publish({ slug: 'indexed', indexed: true })
    const shown = await look(indexed.slug)
    expect([shown.headers.get('x-robots-tag'), shown.text.includes('noindex')]).toEqual([null, false])
  })

  test('has an entity tag, by which a browser that knows it gets nothing again', async () => {
    const { headers } = await look()
    const etag = headers.get('etag') ?? ''
    expect(headers.get('cache-control')).toBe('public, max-age=10')
    expect(await look(page.slug, { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' })
  })

  test('is the same for somebody with a session', async () => {
    const { session_token: token } = watching.served.owner
    const [stranger, person] = [await look(), await look(page.slug, { authorization: `Bearer ${token}` })]
    expect(rowsOf(person.text)).toEqual(rowsOf(stranger.text))
  })

  test('says in which state a monitor is', async () => {
    const [broken, paused, waiting] = [
      await watching.watch({ value: 1, other: 1 }),
      await watching.watch({ value: 1, other: 1 }),
      await owner.post('/v1/monitors?paused=true', {
        name: 'New',
        url: 'https://example.com/secret',
        schedule_interval_seconds: 60,
        extract_config: { method: 'css', fields: { price: '.price' } },
        diff_predicate: { type: 'any_field_changes' },
      }),
    ]
    broken.set('gone', 'text/plain', 404)
    expect(await broken.run()).toMatchObject({ status: 'error' })
    await owner.post(`/v1/monitors/${paused.id}/pause`)
    const quiet = await watching.watch({ value: 1, other: 1 })
    const ids = [broken.id, paused.id, waiting.body.id, quiet.id]
    const monitors = ids.map((monitor_id, nth) => ({ monitor_id, name: `N${nth}`, show_value: true }))
    const { slug } = await publish({ shows: { by: 'monitors', monitors } })
    const { text } = await look(slug)
    expect([...text.matchAll(/class="state [a-z_]+">([^<]+)/g)].map(([, words]) => words)).toEqual([
      'Not readable',
      'Paused',
      'Paused',
      'Up to date',
    ])
    expect(text).toContain('<p>1 not readable · 1 up to date · 2 paused</p>')
    expect(text).not.toMatch(/404|gone|secret/)
  })

  test('says Changed for a day', async () => {
    try {
      await setClock(watching.served, '1 day 1 minute')
      expect(rowsOf((await look()).text)[0]).toMatch(
        /^A lamp\nUp to date\nChanged · 24 hours ago, .*\nChecked 24 hours ago$/,
      )
    } finally {
      await setClock(watching.served, '0 s')
    }
  })

  test('says since when a monitor is not checked that should have been', async () => {
    const often = await watching.watch({ value: 1, other: 1 }, { name: 'Often', schedule_interval_seconds: 60 })
    const monitors = [{ monitor_id: often.id, name: 'Often' }]
    const { slug } = await publish({ shows: { by: 'monitors', monitors } })
    // Nobody checks it meanwhile.
    await stopChecks(watching.served.api, often.id)
    const checkedAgo = async (minutes: number) => {
      await endCheck(watching.served.api, often.id, -60 * minutes)
      const { text } = await look(slug)
      return `${/<p>(1 [^<]*)/.exec(text)?.[1]}\n${rowsOf(text)[0]}`
    }
    expect(await checkedAgo(16)).toMatch(/^1 up to date\nOften\nUp to date\nNo change so far\nChecked 16 minutes ago$/)
    expect(await checkedAgo(18)).toMatch(
      /^1 not checked in time\nOften\nNot checked in time\nNo change so far\nNot checked since .* UTC$/,
    )
  })

  test('shows a label with the names of its monitors, and those that get the label later', async () => {
    const labels = { audience: 'public' }
    await owner.patch(`/v1/monitors/${kettle.id}`, { labels })
    const { slug } = await publish({ shows: { by: 'label', label: 'audience=public' } })
    expect(rowsOf((await look(slug)).text).map((row) => row.split('\n')[0])).toEqual(['Kettle of the shop'])
    const added = await createMonitor(owner, { name: 'A new one', labels })
    await createMonitor(owner, { name: 'Another', labels: { audience: 'staff' } })
    const shown = rowsOf((await look(slug)).text)
    expect(shown.map((row) => row.split('\n')[0])).toEqual(['A new one', 'Kettle of the shop'])
    expect(shown.join()).not.toContain('$18.00')
    await owner.delete(`/v1/monitors/${added.id}`)
    expect(rowsOf((await look(slug)).text)).toHaveLength(1)
  })

  test('shows no more monitors of a label than a list may have, and says so', async () => {
    const spec = { url: 'https://example.com', extract_config: { method: 'css', fields: { a: 'a' } } }
    const labels = { audience: 'many' }
    await Promise.all(
      Array.from({ length: MAX_SHOWN_MONITORS + 1 }, (_, nth) =>
        owner.post('/v1/monitors?paused=true', {
          ...{ ...spec, labels, name: `Thing ${nth}`, schedule_interval_seconds: 3_600 },
          diff_predicate: { type: 'any_field_changes' },
        }),
      ),
    )
    const { slug } = await publish({ shows: { by: 'label', label: 'audience=many' } })
    const { text } = await look(slug)
    expect(rowsOf(text)).toHaveLength(MAX_SHOWN_MONITORS)
    expect(text).toContain('Only the first 200 are shown.')
    // With names that have little in common.
    const { body } = await owner.get('/v1/overview?label=audience=many&limit=100&sort=name')
    const { body: more } = await owner.get('/v1/overview?label=audience=many&limit=100&sort=name&page=2')
    const monitors = [...body.data, ...more.data].map(({ id }) => ({
      monitor_id: id,
      name: `${crypto.randomUUID()} of the shop`,
      show_value: true,
    }))
    const listed = await publish({ shows: { by: 'monitors', monitors } })
    const headers = { 'accept-encoding': 'gzip' }
    const { rawPayload } = await watching.served.api.app.inject({ url: `/status/${listed.slug}`, headers })
    expect(rawPayload.length).toBeLessThan(20 * 1024)
    expect(rowsOf((await look(listed.slug)).text)).toHaveLength(MAX_SHOWN_MONITORS)
  })
})

describe('values on a status page', () => {
  let pot: Watched
  let pageId: string
  let slug: string
  beforeAll(async () => {
    pot = await watching.watch({ value: 'cost 1', other: 1 })
  })
  const monitors = (name: string, showsValue: boolean) => ({
    shows: { by: 'monitors', monitors: [{ monitor_id: pot.id, name, show_value: showsValue }] },
  })
  const change = async (answer: object) => {
    pot.set(answer)
    await pot.run()
  }
  /** Where a text of the monitor is seen. */
  const seen = async (text: string, at = slug) => [
    (await look(at)).text.includes(text),
    (await feed(at)).text.includes(text),
  ]

  test('are those of changes since they were chosen', async () => {
    const made = await publish(monitors('Pot', false))
    pageId = made.id
    slug = made.slug
    await change({ value: 'cost 2', other: 1 })
    await owner.patch(`/v1/status-pages/${pageId}`, monitors('Pot', true))
    expect(await seen('value changed')).toEqual([false, false])
    expect(rowsOf((await look(slug)).text)[0]).toContain('value: cost 2\nChanged · ')
    await change({ value: 'cost 3', other: 1 })
    await owner.patch(`/v1/status-pages/${pageId}`, monitors('The pot', true))
    expect(await seen('value changed from cost 2 to cost 3')).toEqual([true, true])
    expect(await seen('cost 1')).toEqual([false, false])
    await owner.patch(`/v1/status-pages/${pageId}`, monitors('The pot', false))
    await owner.patch(`/v1/status-pages/${pageId}`, monitors('The pot', true))
    expect(await seen('cost 2')).toEqual([false, false])
  })

  test('are none of a monitor from before it got the label of the page', async () => {
    const shows = { by: 'label', label: 'pots=yes', show_values: true }
    const labelled = await publish({ shows })
    await change({ value: 'cost 4', other: 1 })
    await owner.patch(`/v1/monitors/${pot.id}`, { labels: { pots: 'yes' } })
    expect(await seen('cost 3', labelled.slug)).toEqual([false, false])
    await change({ value: 'cost 5', other: 1 })
    expect(await seen('cost 4', labelled.slug)).toEqual([true, true])
    await owner.patch(`/v1/status-pages/${labelled.id}`, { shows: { ...shows, show_values: false } })
    await owner.patch(`/v1/status-pages/${labelled.id}`, { shows })
    expect(await seen('cost 4', labelled.slug)).toEqual([false, false])
  })

  test('are none of what the monitor read before its rules were changed', async () => {
    expect(await seen('cost 5')).toEqual([true, true])
    const extract_config = { method: 'json_path', fields: { other: '$.other' } }
    expect(await owner.patch(`/v1/monitors/${pot.id}`, { extract_config })).toMatchObject({ status: 200 })
    expect(await seen('cost')).toEqual([false, false])
    await pot.run()
    expect(await seen('cost')).toEqual([false, false])
    expect(rowsOf((await look(slug)).text)[0]).toContain('other: 1\nChanged · ')
  })
})

describe('the feed of a status page', () => {
  test('has the changes, the newest first, with values where they were chosen and no markup', async () => {
    const { status, headers, text } = await feed()
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'application/rss+xml; charset=utf-8',
    })
    const items = [...text.matchAll(/<item>\n<title>(.*)<\/title>\n<description>(.*)<\/description>/g)]
    expect(items.map(([, title, words]) => [title, words])).toEqual([
      ['A lamp', 'Changed'],
      ['A kettle &amp; ‹i›more‹/i›', 'value changed from $20.00 to $18.00'],
    ])
    expect(text).toContain('<title>Prices ‹b›now‹/b›</title>')
    expect(text).not.toContain('&lt;')
  })

  test('names each change in a way that stays and tells nothing', async () => {
    const guids = async () =>
      [...(await feed()).text.matchAll(/<guid isPermaLink="false">(.*)<\/guid>/g)].map((m) => m[1])
    const first = await guids()
    expect(new Set(first).size).toBe(2)
    expect(await guids()).toEqual(first)
    for (const guid of first) expect(guid).toMatch(/^[\w-]{27}$/)
  })
})

test.for(['', '/feed.xml'])('somebody who opens %s of no page in a browser sees a page that says so', async (end) => {
  const { status, headers, text } = await look(`nothing${end}`, { accept: 'text/html,*/*;q=0.8' })
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 404, type: 'text/html; charset=utf-8' })
  expect(headers.get('cache-control')).toBe('no-store')
  expect(text).toContain('There is nothing here')
})

describe('there is nothing to see', () => {
  const missing = async (slug: string) => {
    expect((await look(slug)).status).toBe(404)
    expect((await feed(slug)).status).toBe(404)
  }

  test.for(['nothing', 'Prices', 'a'.repeat(200), '%00', '..%2fsign-in', "x' or 1=1"])('under %s', (slug) =>
    missing(encodeURI(slug).replaceAll('%25', '%')),
  )

  test('before it is published, after it is taken back, and after it is deleted', async () => {
    const made = await makeStatusPage(owner, { slug: 'on-and-off' })
    await missing(made.slug)
    await owner.post(`/v1/status-pages/${made.id}/publish`)
    expect((await look(made.slug)).status).toBe(200)
    await owner.post(`/v1/status-pages/${made.id}/unpublish`)
    await missing(made.slug)
    await owner.post(`/v1/status-pages/${made.id}/publish`)
    await owner.delete(`/v1/status-pages/${made.id}`)
    await missing(made.slug)
  })

  test('while the trial of the team is over, and there is again with a plan', async () => {
    const { served } = watching
    const account = await served.api.owner({ plan: 'free' })
    const client = served.as(account.session_token)
    const made = await makeStatusPage(client, { slug: 'on-trial' })
    await client.post(`/v1/status-pages/${made.id}/publish`)
    expect((await look(made.slug)).status).toBe(200)
    await watching.setClock(30 * DAY)
    await served.api.sql(`update teams set trial_ends_at = clock() - interval '1 s' where id = '${account.team_id}'`)
    await missing(made.slug)
    await served.api.sql(`update teams set tier = 'scale' where id = '${account.team_id}'`)
    expect((await look(made.slug)).status).toBe(200)
    await watching.setClock(0)
  })

  test('after the team has ended', async () => {
    const { served } = watching
    const account = await served.api.owner()
    const client = served.as(account.session_token)
    const made = await makeStatusPage(client, { slug: 'ended' })
    await client.post(`/v1/status-pages/${made.id}/publish`)
    const ended = await served.api.call(account.session_token, 'DELETE', '/v1/account', { email: account.email })
    expect(ended.status).toBe(204)
    await missing(made.slug)
    expect(await makeStatusPage(owner, { slug: 'ended' })).toMatchObject({ slug: 'ended' })
  })
})

test('the team sees a page before it is published, as everybody would', async () => {
  const { id } = await makeStatusPage(owner, {
    shows: { by: 'monitors', monitors: [{ monitor_id: lamp.id, name: 'Preview of a lamp' }] },
  })
  const shown = await asStranger(`${watching.served.baseUrl}/v1/status-pages/${id}/preview`, {
    authorization: `Bearer ${watching.served.owner.session_token}`,
  })
  expect(shown.status).toBe(200)
  expect(shown.headers.get('cache-control')).toBe('no-store')
  expect(shown.text).toContain('Only your team sees it')
  expect(rowsOf(shown.text)[0]).toContain('Preview of a lamp')
})
