import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readManifests } from '../../manifests/read-manifests.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { importInto } from './import-into.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const imported = (tool: string, text: string) => importInto(folder.path, tool, text)

test('odd watches of changedetection.io: old tags, templates, groups, and headers for all', async () => {
  const watch = (more: object) => ({ url: 'https://example.com/', ...more })
  const { monitors, report } = await imported(
    'changedetection',
    JSON.stringify({
      watching: {
        a1: watch({ title: 'Old', tag: 'news, Shops', tags: null, headers: null, time_between_check: null }),
        a2: watch({ title: 'Dated', url: "https://example.com/?d={% now 'utc' %}", filter_text_removed: false }),
        a3: watch({ title: 'Source', url: 'source:https://example.com/a', headers: { 'X-Token': 'own' } }),
        a4: watch({ title: 'Mail', notification_urls: ['mailto://me:pw@example.com?to=a@example.com,b@example.com'] }),
        a5: watch({ title: 'Odd mail', notification_urls: ['mailto://100%:pw@example.com', ' '] }),
      },
      settings: {
        headers: { 'X-Token': 'common', Accept: 'text/html' },
        requests: { proxy: 'http://me:pw@proxy.example.com' },
        application: { tags: { t: { title: 'Shops', notification_urls: ['discord://1/s3cret'], headers: {} } } },
      },
    }),
  )
  expect(monitors.get('old')).toMatchObject({
    labels: { news: 'true', Shops: 'true' },
    request_headers: { 'X-Token': 'common', Accept: 'text/html' },
  })
  expect(monitors.get('source')).toMatchObject({
    url: 'https://example.com/a',
    request_headers: { 'X-Token': 'own', Accept: 'text/html' },
  })
  expect(monitors.get('mail')).toMatchObject({
    deliveries: [
      { type: 'email', to: 'a@example.com' },
      { type: 'email', to: 'b@example.com' },
    ],
  })
  for (const line of [
    'All watches: a proxy: no equivalent',
    'The group Shops: notification_urls for all of its watches: no equivalent',
    'Dated: a template in the address: no equivalent',
    'Source: the source of the page in place of its text: no equivalent',
  ])
    expect(report).toContain(line)
  expect(report.join('\n')).not.toMatch(/s3cret|pw@/)
})

test('odd monitors of Uptime Kuma: tags with values, several receivers, and what it takes for a success', async () => {
  const one = (id: number, name: string, more: object) => ({
    id,
    name,
    type: 'http',
    url: `https://example.com/${id}`,
    interval: 60,
    accepted_statuscodes: ['200-299'],
    resendInterval: 0,
    authMethod: '',
    basic_auth_user: null,
    ...more,
  })
  const config = JSON.stringify({ type: 'smtp', smtpTo: 'a@example.com, b@example.com', smtpCC: 'c@example.com' })
  const hook = { type: 'webhook', webhookURL: 'https://hooks.example.com/', webhookAdditionalHeaders: '{"X-Key":"k"}' }
  const { monitors, report } = await imported(
    'uptime-kuma',
    JSON.stringify({
      notificationList: [
        { id: 1, config },
        { id: 2, config: JSON.stringify(hook) },
      ],
      monitorList: {
        1: one(1, 'Tagged', { tags: [{ name: 'env', value: 'prod eu' }, { name: 'x' }], notificationIDList: [1, 2] }),
        2: one(2, 'Posted', { method: 'POST', body: '{"a":1}', headers: null, httpBodyEncoding: 'json' }),
        3: one(3, 'Strict', {
          accepted_statuscodes: ['200-299', '404'],
          basic_auth_user: 'me',
          expiryNotification: true,
        }),
        4: one(4, 'All of them', { type: 'group', url: null }),
        5: one(5, 'Plain', { method: 'GET' }),
      },
    }),
  )
  expect(monitors.get('tagged')).toMatchObject({
    labels: { env: 'prod-eu', x: 'true' },
    deliveries: [
      { type: 'email', to: 'a@example.com' },
      { type: 'email', to: 'b@example.com' },
      { type: 'email', to: 'c@example.com' },
      { type: 'webhook', url: 'https://hooks.example.com/', headers: { 'X-Key': 'k' } },
    ],
  })
  expect(monitors.get('posted')).toMatchObject({
    request_headers: { 'Content-Type': 'application/json' },
    request_config: { method: 'POST', body: '{"a":1}' },
  })
  for (const line of [
    'Strict: the status 404 as a success: no equivalent',
    'Strict: a sign-in with its requests: no equivalent',
    'Strict: a notification before the certificate expires: no equivalent',
    'All of them: the type group, so it is left out: no equivalent',
  ])
    expect(report).toContain(line)
  expect(report.filter((line) => line.startsWith('Plain'))).toEqual([])
})

test('odd jobs: a filter that is no list, tags, and data that is a list', async () => {
  const jobs = `url: https://example.com/a
filter: { css: { selector: h1 } }
tags: [prices, daily]
---
url: https://example.com/b
data: [a, b]
`
  const { monitors, report } = await imported('urlwatch', jobs)
  expect(monitors.get('https-example-com-a')).toMatchObject({
    extract_config: { method: 'css', fields: { text: 'h1[]' } },
    labels: { prices: 'true', daily: 'true' },
  })
  expect(report).toContain('https://example.com/b: data that is a list: no equivalent')
})

test('a file in another encoding, an archive and a name that moves a cursor', async () => {
  const path = join(folder.path, 'odd.yaml')
  const run = () => runHere(['import', 'urlwatch', path])
  await writeFile(path, Buffer.from('name: Caf\u00e9\nurl: https://example.com/\n', 'latin1'))
  expect(await run()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('is not UTF-8') })
  await writeFile(path, Buffer.from('504b0304ffff', 'hex'))
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('is an archive: unpack it') })
  await writeFile(path, '\ufeffname: "a \\e[31m"\r\nurl: https://example.com/\r\ncookies: { a: b }\r\n')
  const { code, stderr } = await run()
  expect([code, stderr]).toEqual([0, expect.stringContaining('a \\u001b[31m: cookies: no equivalent')])
})

test('JSON is a List of manifests, and a name is what other commands take', async () => {
  const path = join(folder.path, 'urls.yaml')
  await writeFile(path, 'name: App\nurl: https://example.com/\nheaders: { X-Token: s3cret }\n')
  const json = await runHere(['import', 'urlwatch', path, '--json'])
  const { kind, items } = JSON.parse(json.stdout) as { kind: string; items: { kind: string }[] }
  expect([kind, items.map((item) => item.kind)]).toEqual(['List', ['Monitor', 'Secret']])
  expect(readManifests([{ file: 'out', text: json.stdout }]).faults).toEqual([])
  expect((await runHere(['import', 'urlwatch', path, '-o', 'name'])).stdout).toBe('monitor/default/app\n')
  const both = await runHere(['import', 'urlwatch', path, '-o', 'name', '--dir', 'x'])
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('exclude each other') })
})
