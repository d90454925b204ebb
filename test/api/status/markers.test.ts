import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../support/api/served-api.ts'
import { runNow, startWatching, type Watching } from '../../support/api/watching.ts'
import { asStranger, makeStatusPage, UNKEPT } from './strangers.ts'

/** A word that stands in one place of a monitor, and nowhere else. */
const mark = (place: string) => `mark${place}mark`
const MARKS = /mark([a-z]+)mark/g

let watching: Watching
let owner: Client
let page: string
let search: string
let site: ReturnType<Watching['page']>
beforeAll(async () => {
  watching = await startWatching({ statusBounds: UNKEPT })
  const { served } = watching
  owner = served.as(served.owner.session_token)
  await served.api.sql(`update teams set name = '${mark('team')}' where id = '${served.owner.team_id}'`)
  await served.api.sql(`update auth.users set name = '${mark('person')}', email = '${mark('person')}@example.com'
    where id = '${served.owner.user_id}'`)
  site = watching.page({ [mark('path')]: mark('old') })
  page = await made('/v1/monitors', {
    name: mark('name'),
    url: `${site.url}#${mark('fragment')}`,
    schedule_interval_seconds: 86_400,
    extract_config: { method: 'json_path', fields: { [mark('field')]: `$.${mark('path')}` } },
    diff_predicate: { type: 'field_matches_regex', field: mark('field'), pattern: mark('pattern') },
    request_headers: { 'x-header': mark('header') },
    external_key: mark('key'),
    labels: { [mark('label')]: mark('label'), audience: 'public' },
    deliveries: [{ type: 'webhook', url: `https://example.com/${mark('destination')}` }],
    message: { title: mark('message') },
  })
  await served.api.call(served.owner.session_token, 'POST', `/v1/monitors/${page}/mute`, {
    until: null,
    reason: mark('reason'),
  })
  await runNow(owner, page)
  site.set({ [mark('path')]: mark('new') })
  await runNow(owner, page)
  search = await made('/v1/serp-monitors?paused=true', {
    name: mark('name'),
    keyword: mark('keyword'),
    engine: 'google',
    target_domain: `${mark('target')}.example.com`,
    schedule_interval_seconds: 86_400,
    labels: { audience: 'public' },
  })
})
afterAll(() => watching.close())

async function made(path: string, body: object): Promise<string> {
  const { status, body: record } = await owner.post(path, body)
  expect({ status, error: record.error }).toEqual({ status: 201, error: undefined })
  return record.id
}

/** Publishes a page, does something, and returns the places whose marks a stranger finds in the page and the feed. */
async function found(shows: object, meanwhile = async () => {}): Promise<readonly string[]> {
  const { id, slug } = await makeStatusPage(owner, { title: mark('title'), shows })
  await owner.post(`/v1/status-pages/${id}/publish`)
  await meanwhile()
  const at = `${watching.served.baseUrl}/status/${slug}`
  const answers = await Promise.all([asStranger(at), asStranger(`${at}/feed.xml`)])
  const all = answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n')
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const { owner: account } = watching.served
  for (const hidden of [id, page, search, account.team_id, account.user_id]) expect(all).not.toContain(hidden)
  return [...new Set(Array.from(all.matchAll(MARKS), ([, place = '']) => place))].sort()
}

describe('of monitors with a mark in every text, a stranger finds', () => {
  const list = (showsValue: boolean) => ({
    by: 'monitors',
    monitors: [page, search].map((monitor_id) => ({ monitor_id, name: mark('public'), show_value: showsValue })),
  })

  test('the title and the public names', async () => {
    expect(await found(list(false))).toEqual(['public', 'title'])
  })

  test('the field and its values since then too, where they were chosen', async () => {
    expect(await found(list(true))).toEqual(['field', 'new', 'public', 'title'])
    const change = async () => {
      site.set({ [mark('path')]: mark('newest') })
      await runNow(owner, page)
    }
    expect(await found(list(true), change)).toEqual(['field', 'new', 'newest', 'public', 'title'])
  })

  test('the own names of monitors, where a label was chosen', async () => {
    expect(await found({ by: 'label', label: 'audience=public' })).toEqual(['name', 'title'])
  })

  test('no more of one that cannot be read', async () => {
    const broken = watching.page(`<p>${mark('body')}</p>`)
    const monitor = await watching.served.me.post('/v1/monitors', {
      name: mark('name'),
      url: `${broken.url}?${mark('query')}=1`,
      schedule_interval_seconds: 86_400,
      extract_config: { method: 'css', fields: { [mark('field')]: `.${mark('selector')}` } },
      diff_predicate: { type: 'any_field_changes' },
    })
    expect(await runNow(owner, monitor.body.id)).toMatchObject({ status: 'error' })
    const monitors = [{ monitor_id: monitor.body.id, name: mark('public'), show_value: true }]
    expect(await found({ by: 'monitors', monitors })).toEqual(['public', 'title'])
  })
})
