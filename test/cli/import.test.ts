import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFolder } from '../../manifests/read-folder.ts'
import { readManifests } from '../../manifests/read-manifests.ts'
import { startShell } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { importInto } from './import-into.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const imported = (tool: string, text: string, ...options: readonly string[]) =>
  importInto(folder.path, tool, text, ...options)

const WATCHES = {
  watching: {
    '6b1c4f0e-9d0c-4c5e-8a5b-0d4a3b2c1f00': {
      uuid: '6b1c4f0e-9d0c-4c5e-8a5b-0d4a3b2c1f00',
      url: 'https://shop.example.com/kettles/blue',
      title: 'Blue kettle',
      include_filters: ['.price', 'h1, h2'],
      time_between_check: { weeks: null, days: null, hours: 2, minutes: 30, seconds: null },
      time_between_check_use_default: false,
      fetch_backend: 'html_webdriver',
      headers: { 'X-Token': 's3cret', Cookie: 'a=b' },
      tags: ['t1'],
      paused: true,
      notification_urls: ['discord://12345/toktoktok', 'tgram://bot/chat'],
      trigger_text: ['in stock'],
      processor: 'text_json_diff',
    },
    'aaaaaaaa-9d0c-4c5e-8a5b-0d4a3b2c1f00': {
      url: 'https://news.example.com/',
      title: null,
      page_title: 'News of the day',
      include_filters: [],
      ignore_text: ['Updated at', '/\\d+ comments/i'],
      subtractive_selectors: ['.ads'],
      time_between_check: { weeks: null, days: null, hours: null, minutes: null, seconds: null },
      time_between_check_use_default: true,
      fetch_backend: 'system',
      method: 'GET',
      headers: {},
    },
    'bbbbbbbb-9d0c-4c5e-8a5b-0d4a3b2c1f00': {
      url: 'https://api.example.com/items',
      title: 'Items',
      include_filters: ['json:$.items[*].name'],
      method: 'POST',
      body: '{"page":1}',
      time_between_check: { seconds: 20 },
      notification_muted: true,
    },
    'cccccccc-9d0c-4c5e-8a5b-0d4a3b2c1f00': {
      url: 'http://192.168.1.10/status',
      title: 'Items',
      include_filters: ['//div[@id="a"]', 'xpath1://b'],
      browser_steps: [{ operation: 'Click element', selector: 'button', optional_value: '' }],
    },
    'dddddddd-9d0c-4c5e-8a5b-0d4a3b2c1f00': {
      url: 'https://example.com/',
      title: 'Broken',
      include_filters: ['a:::b'],
    },
    'eeeeeeee-9d0c-4c5e-8a5b-0d4a3b2c1f00': { url: 'https://example.com/', title: 'Query', include_filters: ['jq:.a'] },
  },
  settings: {
    requests: { time_between_check: { weeks: null, days: 1, hours: null, minutes: null, seconds: null } },
    application: {
      fetch_backend: 'html_requests',
      notification_urls: ['mailto://me:pw@mail.example.com/?to=ops@example.com'],
      global_ignore_text: ['cookie'],
      tags: { t1: { title: 'Price watch' } },
    },
  },
}

test('watches of changedetection.io become manifests, with a line for what has no equivalent', async () => {
  const { monitors, report, stdout } = await imported('changedetection', JSON.stringify(WATCHES))
  expect([...monitors.keys()].toSorted()).toEqual([
    'blue-kettle',
    'items-bbbbbbbb',
    'items-cccccccc',
    'news-of-the-day',
    'query',
  ])
  expect(monitors.get('blue-kettle')).toMatchObject({
    name: 'Blue kettle',
    url: 'https://shop.example.com/kettles/blue',
    schedule_interval_seconds: 9_000,
    extract_config: { method: 'css', fields: { text_1: '.price[]', text_2: ':is(h1, h2)[]' } },
    diff_predicate: { type: 'any_field_changes' },
    fetch_mode: 'browser',
    request_headers: { 'X-Token': 's3cret' },
    deliveries: [{ type: 'discord', webhookUrl: 'https://discord.com/api/webhooks/12345/toktoktok' }],
    labels: { 'Price-watch': 'true' },
    suspend: true,
  })
  expect(monitors.get('news-of-the-day')).toMatchObject({
    schedule_interval_seconds: 86_400,
    extract_config: {
      method: 'full_page',
      ignore: { selectors: ['.ads'], patterns: ['(?i:cookie)', '(?i:Updated at)', String.raw`(?i:\d+ comments)`] },
    },
    deliveries: [{ type: 'email', to: 'ops@example.com' }],
    fetch_mode: 'auto',
    suspend: false,
  })
  expect(monitors.get('items-bbbbbbbb')).toMatchObject({
    schedule_interval_seconds: 60,
    extract_config: { method: 'json_path', fields: { text: '$.items[*].name' } },
    request_config: { method: 'POST', body: '{"page":1}' },
    deliveries: [],
  })
  expect(monitors.get('items-cccccccc')).toMatchObject({
    url: 'http://192.168.1.10/status',
    extract_config: { method: 'xpath', fields: { text_1: '//div[@id="a"][]', text_2: '//b[]' } },
  })
  for (const line of [
    'Blue kettle: texts to wait for: no equivalent',
    'Blue kettle: the header Cookie: no equivalent',
    'Blue kettle: a notification by tgram: no equivalent',
    'Items: an interval of 20 seconds is raised to 60',
    'Items: steps in the browser: no equivalent',
    'Query: the filter jq:.a: no equivalent',
  ])
    expect(report).toContain(line)
  expect(report.some((line) => line.startsWith('Broken: is left out, because it would not be valid:'))).toBe(true)
  expect(report.at(-1)).toMatch(/^5 monitors of 6 imported, \d+ remarks, 1 left out\.$/)
  // Secrets are in Secrets, never in the manifests or the report.
  expect(stdout.split('s3cret')).toHaveLength(2)
  expect(report.join('\n')).not.toMatch(/s3cret|toktoktok|pw@/)
})

const JOBS = `name: "Releases"
url: "https://example.com/releases"
filter:
  - css:
      selector: 'ul.releases > li'
      exclude: '.old'
  - html2text
headers:
  User-Agent: "me"
---
kind: browser
navigate: "https://app.example.com/"
filter: xpath://main,strip
---
name: "Form"
url: "https://example.com/search"
data:
  q: "kettle pot"
cookies:
  session: "s3cret"
filter:
  - element-by-id: results
  - re.sub:
      pattern: "[0-9]+"
---
name: "Disk"
command: "df -h"
---
name: "Whole"
url: "https://example.com/whole"
filter:
  - html2text
  - grepi: "Last updated"
ssl_no_verify: true
`

test('jobs of urlwatch become manifests', async () => {
  const { monitors, report } = await imported('urlwatch', JOBS, '--interval', '1800')
  expect(monitors.get('releases')).toMatchObject({
    schedule_interval_seconds: 1_800,
    extract_config: { method: 'css', fields: { text: 'ul.releases > li[]' }, ignore: { selectors: ['.old'] } },
    request_headers: { 'User-Agent': 'me' },
  })
  expect(monitors.get('https-app-example-com')).toMatchObject({
    url: 'https://app.example.com/',
    fetch_mode: 'browser',
    extract_config: { method: 'xpath', fields: { text: '//main[]' } },
  })
  expect(monitors.get('form')).toMatchObject({
    request_config: { method: 'POST', body: 'q=kettle+pot' },
    request_headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    extract_config: {
      method: 'css',
      fields: { text: '[id="results"][]' },
      clean: { text: [{ do: 'replace', pattern: '[0-9]+', text: '' }] },
    },
  })
  expect(monitors.get('whole')).toMatchObject({
    extract_config: { method: 'full_page', ignore: { patterns: ['Last updated'] } },
  })
  expect(monitors.size).toBe(4)
  for (const line of [
    'Form: cookies: no equivalent',
    'Disk: a command of the shell, so it is left out: no equivalent',
    'Whole: ssl_no_verify: no equivalent',
  ])
    expect(report).toContain(line)
  expect(report.join('\n')).not.toContain('s3cret')
})

test('jobs of webchanges become manifests', async () => {
  const jobs = `name: App
url: https://app.example.com/
use_browser: true
wait_for_selector: '#ready'
filters:
  - html2text:
  - delete_lines_containing: advertisement
---
name: Off
url: https://example.com/
enabled: false
`
  const { monitors } = await imported('webchanges', jobs)
  expect(monitors.get('app')).toMatchObject({
    fetch_mode: 'browser',
    extract_config: { method: 'full_page', wait_for: '#ready', ignore: { patterns: ['(?i:advertisement)'] } },
  })
  expect(monitors.get('off')).toMatchObject({ suspend: true })
})

test('jobs that read different parts of one page have names of their own, the same at each import', async () => {
  const job = (filter: string) => `url: https://example.com/\nfilter: ${filter}\n`
  const jobs = [job('css:.a'), job('css:.b'), job('css:.b')]
  const { monitors } = await imported('urlwatch', jobs.join('---\n'))
  expect(monitors.size).toBe(3)
  const { monitors: fewer } = await imported('urlwatch', jobs.slice(0, 2).join('---\n'))
  expect([...fewer.keys()]).toEqual([...monitors.keys()].slice(0, 2))
  const { monitors: alike } = await imported(
    'urlwatch',
    'name: a-b\nurl: https://a.example.com/\n---\n' + 'name: A b\nurl: https://b.example.com/\n',
  )
  expect(alike.size).toBe(2)
})

const KUMA = {
  version: '1.23.0',
  notificationList: [
    { id: 1, name: 'Chat', config: '{"type":"slack","slackwebhookURL":"https://hooks.slack.com/services/A/B/C"}' },
    { id: 2, name: 'Phone', config: '{"type":"pushover","pushoverapptoken":"s3cret"}' },
  ],
  monitorList: [
    { id: 1, name: 'Home', type: 'http', url: 'https://example.com/', interval: 30, active: true, method: 'GET' },
    {
      id: 2,
      name: 'Word',
      type: 'keyword',
      keyword: 'All systems (operational)',
      url: 'https://status.example.com/',
      interval: 120,
      active: false,
      headers: '{"Accept":"text/html"}',
      notificationIDList: { 1: true, 2: true },
      tags: [{ tag_id: 1, name: 'prod', value: '' }],
    },
    { id: 3, name: 'API', type: 'json-query', url: 'https://api.example.com/', jsonPath: 'status.text', interval: 60 },
    { id: 4, name: 'Router', type: 'ping', hostname: '192.168.1.1', interval: 60 },
  ],
}

test('monitors of Uptime Kuma become manifests', async () => {
  const { monitors, report } = await imported('uptime-kuma', JSON.stringify(KUMA))
  expect([...monitors.keys()].toSorted()).toEqual(['api', 'home', 'word'])
  expect(monitors.get('home')).toMatchObject({
    schedule_interval_seconds: 60,
    notify_on: ['failing', 'recovered'],
    extract_config: { method: 'full_page' },
    diff_predicate: { type: 'field_equals' },
  })
  expect(monitors.get('word')).toMatchObject({
    suspend: true,
    extract_config: { method: 'regex', fields: { value: String.raw`All systems \(operational\)` } },
    request_headers: { Accept: 'text/html' },
    deliveries: [{ type: 'slack', webhookUrl: 'https://hooks.slack.com/services/A/B/C' }],
    labels: { prod: 'true' },
  })
  expect(monitors.get('api')).toMatchObject({ extract_config: { fields: { value: '$.status.text' } } })
  for (const line of [
    'Home: an interval of 30 seconds is raised to 60',
    'Word: a notification by pushover: no equivalent',
    'Router: the type ping, so it is left out: no equivalent',
  ])
    expect(report).toContain(line)
  expect(report.join('\n')).not.toContain('s3cret')
})

test('--dir writes a file for each monitor that only its owner reads, and replaces none', async () => {
  const path = join(folder.path, 'urls.yaml')
  const out = join(folder.path, 'out')
  await writeFile(path, JOBS)
  expect(await runHere(['import', 'urlwatch', path, '--dir', out])).toMatchObject({ code: 0, stdout: '' })
  expect((await readdir(out)).toSorted()).toEqual([
    'form.yaml',
    'https-app-example-com.yaml',
    'releases.yaml',
    'whole.yaml',
  ])
  expect((await stat(join(out, 'form.yaml'))).mode & 0o777).toBe(0o600)
  const before = await readFile(join(out, 'form.yaml'), 'utf8')
  const again = await runHere(['import', 'urlwatch', path, '--dir', out])
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('is there already: move it away')
  expect(await readFile(join(out, 'form.yaml'), 'utf8')).toBe(before)
  for (const name of ['form.yaml', 'releases.yaml', 'https-app-example-com.yaml']) await rm(join(out, name))
  expect((await runHere(['import', 'urlwatch', path, '--dir', out])).stderr).toContain('whole.yaml is there already')
  expect(await readdir(out)).toEqual(['whole.yaml'])
})

test.each([
  ['changedetection', '[]', 'is not what changedetection writes: it has to be url-watches.json'],
  ['changedetection', '{"watching": ', 'cannot be read'],
  ['urlwatch', '- 1\n- 2\n', 'is not what urlwatch writes'],
  ['urlwatch', 'name: "a\n', 'cannot be read'],
  ['uptime-kuma', '{}', 'is not what uptime-kuma writes: it has to be a backup as JSON'],
])('a file of %s that is none is refused with its reason: %j', async (tool, text, message) => {
  const path = join(folder.path, 'broken.txt')
  await writeFile(path, text)
  const { code, stdout, stderr } = await runHere(['import', tool, path])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
  expect(stderr).not.toMatch(/ at .*\.ts:/)
})

test('a folder that cannot be written is named, without a stack', async () => {
  const path = join(folder.path, 'urls.yaml')
  await writeFile(path, JOBS)
  const { code, stderr } = await runHere(['import', 'urlwatch', path, '--dir', join(path, 'below')])
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/below cannot be written: ENOTDIR; 0 of 4 files were written\n/),
  ])
  expect(stderr).not.toContain('    at ')
})

test('a name that looks like the unique name of another monitor is no collision', async () => {
  const one = (id: number, name: string) => ({ id, name, type: 'http', url: `http://example.com/${id}`, interval: 60 })
  const list = [one(1, 'shop'), one(2, 'shop'), one(5, 'shop 1')]
  const path = join(folder.path, 'alike.json')
  await writeFile(path, JSON.stringify({ monitorList: list }))
  const { code, stdout } = await runHere(['import', 'uptime-kuma', path])
  expect(code).toBe(0)
  expect([...stdout.matchAll(/^ {2}name: (shop-\S+)$/gm)].map(([, name]) => name)).toEqual([
    'shop-1',
    'shop-2',
    'shop-1-5',
  ])
})

test('an unknown tool, a missing file and an interval that is none are refused', async () => {
  expect((await runHere(['import', 'distill', 'a'])).stderr).toContain('changedetection, urlwatch, webchanges')
  expect((await runHere(['import', 'urlwatch', join(folder.path, 'none')])).code).toBe(2)
  expect((await runHere(['import', 'urlwatch', 'a', '--interval', '5'])).stderr).toContain('from 60 to 31536000')
})

test('the examples in its help run as they are, and what they write can be read', { timeout: 120_000 }, async () => {
  await using home = await temporaryFolder()
  const inputs = {
    'url-watches.json': JSON.stringify(WATCHES),
    'urls.yaml': JOBS,
    'urlwatch.yaml': 'report: { email: { enabled: true, to: me@example.com } }',
    'backup.json': JSON.stringify(KUMA),
  }
  for (const [name, text] of Object.entries(inputs)) await writeFile(join(home.path, name), text)
  const tidemark = join(import.meta.dirname, '../../tidemark')
  await writeFile(join(home.path, 'tidemark'), `#!/bin/sh\nexec "${tidemark}" "$@"\n`, { mode: 0o755 })
  const { stdout } = await runHere(['import', '--help'])
  const examples = [...stdout.matchAll(/^ {2}\$ (\.\/tidemark import .*)$/gm)].map(([, line = '']) => line)
  expect(examples).toHaveLength(4)
  for (const line of examples) {
    const isServed = line.includes('serve')
    // The folder of another example has an address of a private network, which a server refuses.
    const own = isServed ? line.replaceAll(' monitors/', ' kuma/').replace('&& ', '&& exec ') : line
    await using shell = startShell(own, { PORT: '0', TIDEMARK_DATA_DIR: join(home.path, 'data') }, home.path)
    if (isServed) {
      // The log is written later than other lines.
      await shell.says(/Tidemark is running at/)
      await shell.says(/"msg":"the folder of manifests is applied"/)
      shell.signal('SIGTERM')
    }
    expect(await shell.exited, `${line}\n${shell.stderr}`).toBe(0)
  }
  await rm(join(home.path, 'data'), { recursive: true })
  const { texts } = await readFolder(home.path)
  const written = texts.filter(({ file }) => !(file in inputs))
  expect(readManifests(written).faults.filter(({ message }) => !message.includes('is used twice'))).toEqual([])
  expect(written).toHaveLength(10)
})
