import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import type { Run } from '../../../schema/run/run.ts'
import { forgetTexts } from '../../support/database/change-runs.ts'
import { html } from '../../support/network/site.ts'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

const JSON_TYPE = { 'content-type': 'application/json' }

let remote: RemoteServer
let kettle = ''
/** How often the pages below have changed. */
let version = 1
beforeAll(async () => {
  remote = await startRemoteServer()
  const predicate = { diff_predicate: { type: 'any_field_changes' } }
  const json = remote.site.page('/json', (answer) => {
    const items = ['A', 'B', `C${version}`].map((name) => `${name} \u001b[31m`)
    answer.writeHead(200, JSON_TYPE).end(JSON.stringify({ items, notes: `one\ntwo ${version}\nthree` }))
  })
  const fields = { items: '$.items[*]', notes: '$.notes' }
  await remote.watch('shelf', { url: json, extract_config: { method: 'json_path', fields }, ...predicate })
  const text = remote.site.page('/terms', (answer, request, nth) =>
    html(`<h1>Terms</h1><p>Version ${version} \u001b[31m</p><p>The end</p>`)(answer, request, nth),
  )
  await remote.watch('terms', { url: text, extract_config: { method: 'full_page' }, ...predicate })
  const deliveries = [{ type: 'webhook', url: `${remote.site.origin}/hook` }]
  kettle = await remote.watch('kettle', { external_key: 'shop/kettle', deliveries })
  await remote.watch('still')
  version = 2
  remote.site.page('/still', '<b class="price">$1</b>')
  for (const name of ['shelf', 'terms']) await remote.sh(`./tidemark run ${name} --wait`)
  remote.site.price('$2')
  await remote.sh('./tidemark run kettle --wait')
  remote.site.price('$3')
  await remote.sh('./tidemark run kettle --wait')
}, 120_000)
afterAll(() => remote[Symbol.asyncDispose]())

const changes = async (words: string) => {
  const { code, stdout, stderr } = await remote.sh(`./tidemark changes ${words}`)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).not.toContain('\u001b')
  return stdout
}

test('fields are shown with their values before and after, newest first, and whether the run fired', async () => {
  const shown = await changes('kettle')
  expect(shown.replaceAll(/\S+Z \(\d+[smh] ago\)/g, 'WHEN')).toBe(
    'kettle  WHEN fired\n  price: $2 → $3 (+50 %)\n\nkettle  WHEN fired\n  price: $1 → $2 (+100 %)\n',
  )
  expect(await changes('shop/kettle --limit 1')).toMatch(/^kettle .*\n {2}price: \$2 → \$3 \(\+50 %\)\n$/)
})

test('of a list its items are shown, and of a text its lines', async () => {
  const [, ...lines] = (await changes('shelf')).split('\n')
  expect(lines).toEqual([
    '  items: 1 added, 1 removed',
    '    + C2 [31m',
    '    − C1 [31m',
    '  notes: 1 line added, 1 removed',
    '    − two 1',
    '    + two 2',
    '',
  ])
})

test('of a whole page the lines that a person reads are shown', async () => {
  const [, ...lines] = (await changes('terms')).split('\n')
  expect(lines).toEqual([
    '  the page: 1 line added, 1 removed',
    '    − Version 1 \\u001b[31m',
    '    + Version 2 \\u001b[31m',
    '',
  ])
})

test('without the texts of a page it says why', async () => {
  await forgetTexts(remote, 'all')
  expect(await changes('terms')).toMatch(/\n {2}the page changed: The readable text of the page was not kept/)
})

test('of a picture the percentage is shown, and a link to each region that changed', async () => {
  const [id = ''] = (await changes('kettle --limit 1 -o name')).split(/run\/|\n/).slice(1)
  const region = (label: string, diff: string) =>
    `{"label":"${label}","pct":12.345,"before":"${kettle}","after":"${kettle}","diff":${diff}}`
  const regions = `[${region('menu', `"${kettle}"`)},${region('foot', 'null')}]`
  await remote.sql(`insert into run_images (monitor_no, run_id, team_id, change_pct, has_changes, thumb_id, regions)
    select monitor_no, id, team_id, 12.345, true, '${kettle}', '${regions}' from runs where id = '${id}'`)
  const [, ...lines] = (await changes('kettle --limit 1')).split('\n')
  expect(lines).toEqual([
    '  price: $2 → $3 (+50 %)',
    expect.stringMatching(/^ {2}picture: 12\.3[45] % changed$/),
    expect.stringMatching(/^ {4}menu: 12\.3[45] %; the picture can be seen for five minutes:$/),
    expect.stringMatching(/^ {4}http:\S+\/v1\/images\/\S+$/),
    '',
  ])
})

test('of a search the rank and the results are shown', async () => {
  const search = { name: 'rank', keyword: 'kettle', schedule_interval_seconds: 86_400, target_domain: 'shop.example' }
  const { id } = await remote.ask<{ id: string }>('POST', '/v1/serp-monitors?paused=true', search)
  const result = (position: number, name: string) =>
    JSON.stringify({ position, title: name, url: `https://${name}/`, domain: name, description: null })
  await remote.sql(`select ensure_run_partition(clock() - interval '1 hour')`)
  const store = (secondsAgo: number, rank: number, delta: number | null, results: string) =>
    remote.sql(`insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, organic_results,
        target_rank, rank_delta)
      select no, new_run_id(clock() - interval '${secondsAgo} seconds', no), team_id, 0, 1, 'success', '[${results}]',
        ${rank}, ${delta}
      from monitors where id = '${id}'`)
  await store(3_000, 2, null, [result(1, 'a.example'), result(2, 'shop.example')].join())
  await store(2_000, 1, 1, [result(1, 'shop.example'), result(2, 'b.example')].join())
  const [, ...lines] = (await changes('rank')).split('\n')
  expect(lines).toEqual([
    '  shop.example for “kettle”: #2 → #1 (up 1)',
    '  Results for “kettle”: 1 new, 1 moved, 1 gone',
    '    #2 → #1 shop.example · shop.example',
    '    + #2 b.example · b.example',
    '    − #1 a.example · a.example',
    '',
  ])
  expect((await remote.sh('./tidemark runs rank --limit 1')).stdout).toMatch(/2 results, rank 1 \(up 1\)\n$/)
})

test('without a name, the changes of all monitors are one list', async () => {
  const heads = (await changes('')).split('\n').flatMap((line) => /^(\w+) {2}/.exec(line)?.[1] ?? [])
  expect(heads.slice(0, 4)).toEqual(['kettle', 'kettle', 'terms', 'shelf'])
  expect(heads).not.toContain('still')
})

test('programs get the runs', async () => {
  const runs = JSON.parse(await changes('kettle --json')) as Run[]
  expect(runs.map(({ diff }) => diff)).toMatchObject([{ after: { price: '$3' } }, { after: { price: '$2' } }])
  expect(parse(await changes('kettle -o yaml'))).toEqual(runs)
  expect(await changes('kettle -o name')).toBe(runs.map(({ id }) => `run/${id}\n`).join(''))
})

test('says that nothing has changed', async () => {
  const { code, stdout, stderr } = await remote.sh('./tidemark changes still')
  expect([code, stdout, stderr]).toEqual([0, '', 'still has not changed yet.\n'])
  expect(await changes('still --json')).toBe('[]\n')
})

test.each(['tail kettle --limit 1 --count 1', 'describe kettle', 'runs kettle --limit 1'])(
  '%s has the same words',
  async (line) => {
    expect((await remote.sh(`./tidemark ${line}`)).stdout).toContain('price: $2 → $3 (+50 %)')
    const page = line.replace('kettle', 'terms')
    expect((await remote.sh(`./tidemark ${page}`)).stdout).toMatch(/ the page changed\n/)
  },
)
