import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { configurationOf } from '../../../cli/check/configuration.ts'
import type { CheckOptions } from '../../../cli/check/options.ts'
import { runCheck } from '../../../cli/check/run-check.ts'
import { UsageError } from '../../../cli/check/usage-error.ts'
import { toResourceNames } from '../../../core/custom-resource/names.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { Preview } from '../../../schema/monitor/preview.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { html, openSite, type Site, status } from '../../support/network/site.ts'

const COMMAND = join(import.meta.dirname, '../../../cli/tidemark.ts')
const PAGE =
  '<!doctype html><title>Shop</title><h1>Blue  kettle</h1><p class="price">€ 49,90</p><i>\u001b[31mred\u202e</i>'

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The command as a process of its own, with nothing of this process' environment but what it needs to start. */
function run(args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}) {
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn(process.execPath, [COMMAND, 'check', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...env },
    })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
    child.on('error', reject).on('close', (code) => resolve({ code, out, err }))
    child.stdin.end(input)
  })
}

const OPEN = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const CLOSED = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })

/** The command without the start of a process: a start takes a second. Files are named from the folder of the test. */
async function check(targets: readonly string[], options: CheckOptions, egress = CLOSED): Promise<Ended> {
  const named = targets.map((target) => (target.includes('/') ? target : join(folder, target)))
  const monitor = options.monitor === undefined ? {} : { monitor: join(folder, options.monitor) }
  let out = ''
  let err = ''
  const isSuccess = await runCheck(await configurationOf(process, named, { ...options, ...monitor }, egress), egress, {
    io: process,
    form: options.json ? 'json' : 'table',
    out: (text) => void (out += text.replaceAll(`${folder}/`, '')),
    err: (text) => void (err += text.replaceAll(`${folder}/`, '')),
  })
  return { code: isSuccess ? 0 : 1, out, err }
}

/** What a command line that cannot be understood is told. */
async function usageError(targets: readonly string[], options: CheckOptions): Promise<string> {
  const thrown = await check(targets, options).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(UsageError)
  return thrown instanceof UsageError ? thrown.message : ''
}

let folder: string
let site: Site
let base: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-check-'))
  await writeFile(join(folder, 'page.html'), PAGE)
  await writeFile(join(folder, 'other.html'), '<h1>Other</h1>')
  await writeFile(join(folder, 'long.html'), `<p>${'long '.repeat(200)}`)
  await writeFile(join(folder, 'api.json'), '{"data":{"version":"4.1.0"}}')
  site = await openSite({ otherwise: html(PAGE, { 'content-type': 'text/html; charset=utf-8' }) })
  site.page('/gone', status(404))
  site.page('/echo', (response, request) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method: request.method, token: request.headers['x-token'] ?? null }))
  })
  base = site.origin
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const MONITOR = {
  name: 'Prices',
  url: 'https://shop.example.com/kettle',
  schedule_interval_seconds: 60,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'field_changes', field: 'price' },
}

describe('tidemark check', () => {
  test('as a process: shows the fields of an address, and how it was fetched', async () => {
    const args = [`${base}/`, '--css', 'title=h1', '--css', 'price=.price', '--css', 'stock=#stock']
    const { code, out, err } = await run(args, '', { TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8' })
    // One field has no match.
    expect({ code, err }).toEqual({ code: 1, err: '' })
    const [target, facts, ...rest] = out.split('\n')
    expect(target).toBe(`${base}/`)
    expect(facts).toMatch(
      /^ {2}static · status 200 · text\/html; charset=utf-8 · \d+ B · \d+ ms \(fetch \d+, extract \d+\)$/,
    )
    const warning =
      '  warning: The field "stock" has no match on the page. Its rule cannot notice a change there; correct the rule.'
    const shown = ['', '  title   "Blue  kettle"', '  price   "€ 49,90"', '  stock   null   (not found)', '']
    expect(rest).toEqual([...shown, warning, ''])
  })

  test('as a process: reads standard input among files, and exits with 1 when one check failed', async () => {
    const { code, out, err } = await run(
      ['page.html', '-', 'other.html', '--xpath', 'title=//h1', '--json'],
      '<h1>Piped</h1>',
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(
      out
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { target: 'page.html', fields: { title: 'Blue  kettle' } },
      { target: '-', fields: { title: 'Piped' } },
    ])
    expect((await run(['page.html', 'none.html', '--css', 'title=h1'])).code).toBe(1)
  })

  test.each([[['page.html', '--colour']], [['page.html', '--css', '.price']]])(
    'as a process: %j cannot be understood, so it exits with 2 and says where help is',
    async (args) => {
      const { code, out, err } = await run(args)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain('(tidemark check --help shows the options)')
      expect(err).not.toMatch(/^\s+at /m)
    },
  )

  test('as a process: --help shows examples and the exit codes', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    expect(out).toContain('./tidemark check https://example.com/ --css title=h1')
    expect(out).toMatch(/0 when every check was a success and every field had a match, 1 when not, 2 when/)
  })

  test('exits with 1 for a list without items and a pattern that is not there, in a file too', async () => {
    expect((await check(['page.html'], { css: ['prices=.price[]'] })).code).toBe(0)
    const none = await check(['page.html'], { css: ['prices=.gone[]', 'price=.price'], json: true })
    expect(none.code).toBe(1)
    expect(JSON.parse(none.out)).toMatchObject({
      status: 'success',
      fields: { prices: [], price: '€ 49,90' },
      warnings: [expect.stringContaining('"prices" has no match')],
    })
    expect((await check(['page.html'], { regex: ['sold=sold out'] })).code).toBe(1)
  })

  test('prints a table a target', async () => {
    const { code, out } = await check(['page.html', 'other.html'], { xpath: ['title=//h1'] })
    expect(code).toBe(0)
    const page = /^page\.html\n {2}from a file · text\/html · \d+ B · \d+ ms\n\n {2}title {3}"Blue {2}kettle"\n/
    const other = /\nother\.html\n {2}from a file · text\/html · 14 B · \d+ ms\n\n {2}title {3}"Other"\n$/
    expect(out).toMatch(new RegExp(page.source + other.source))
  })

  test('prints a line of JSON a target, in the shape of a preview', async () => {
    const targets = ['api.json', 'missing.json', `${base}/echo`]
    const { code, out, err } = await check(targets, { jsonPath: ['version=$.data.version'], json: true }, OPEN)
    expect({ code, err }).toEqual({ code: 1, err: '' })
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { target: string })
    for (const { target: _, ...shown } of lines) expect(checkerOf(Preview).validate(shown)).toMatchObject({ ok: true })
    expect(lines).toMatchObject([
      { target: 'api.json', status: 'success', fields: { version: '4.1.0' }, fetch_method: null, http_status: null },
      { target: 'missing.json', status: 'error', error_message: 'missing.json cannot be read: there is no such file.' },
      {
        target: `${base}/echo`,
        status: 'success',
        fields: { version: null },
        fetch_method: 'static',
        http_status: 200,
      },
    ])
  })

  test.each([
    [{ regex: ['price=€ ([\\d,]+)'] }, 'price   "49,90"'],
    [{ xpath: ['paragraphs=count(//p)'] }, 'paragraphs   1'],
    [{ css: ['i=i:not([c=d])', 'title=title:not([lang=de])'] }, 'title   "Shop"'],
    [{ fullPage: true }, 'content_hash   "'],
    [{ template: 'generic-css-selector' }, 'value   "Blue  kettle"'],
  ])('%j extracts', async (options, line) => {
    const { code, out } = await check(['page.html'], options)
    expect(code).toBe(0)
    expect(out).toContain(line)
  })

  test('without a rule it hashes the whole answer and says how to name fields', async () => {
    const { code, out, err } = await check(['page.html'], {})
    expect(code).toBe(0)
    expect(out).toMatch(/content_hash {3}"[0-9a-f]{64}"/)
    expect(err).toContain('--css')
  })

  test('shows what a page holds without letting it act on the terminal', async () => {
    const { out } = await check(['page.html'], { css: ['evil=i'] })
    expect(out).toContain('  evil   "\\u001b[31mred\\u202e"')
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  test('cuts what is long, and says so', async () => {
    const { out } = await check(['long.html'], { css: ['text=p'] })
    expect(out).toContain('… (1001 characters; --json shows them all)')
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(260)
  })

  test('a check that fails says what happened', async () => {
    const gone = await check([`${base}/gone`], { css: ['a=h1'] }, OPEN)
    expect(gone.code).toBe(1)
    expect(gone.out).toContain('static · status 404 · ')
    expect(gone.err).toMatch(
      /^tidemark check: 127\.0\.0\.1:\d+ answered with status 404\. The page is gone; check the URL\.\n$/,
    )
    const other = await check(['page.html'], { jsonPath: ['a=$.a'] })
    expect(other.code).toBe(1)
    expect(other.err).toContain('is not JSON')
  })

  test('a file that cannot be read is a failed check; one that looks like an address is called one', async () => {
    expect(await check(['nothing.html'], { css: ['a=h1'] })).toMatchObject({
      code: 1,
      err: 'tidemark check: nothing.html cannot be read: there is no such file.\n',
    })
    expect((await check([`${folder}/`], { css: ['a=h1'] })).err).toContain('it is a folder')
    expect((await check(['shop.example.com/kettle'], { css: ['a=h1'] })).err).toContain(
      'write https://shop.example.com/kettle',
    )
  })

  test('a file that is larger than a check takes is not read to its end', async () => {
    expect((await check(['/dev/zero'], {})).err).toBe(
      'tidemark check: /dev/zero is larger than 10 MiB, the limit of a file.\n',
    )
  })

  test('a private address is refused, with the setting that opens it', async () => {
    const { code, err } = await check([`${base}/`], { css: ['a=h1'] })
    expect(code).toBe(1)
    expect(err).toContain('The target is not allowed')
    expect(err).toContain('TIDEMARK_ALLOW_PRIVATE_CIDRS=127.0.0.0/8,::1/128 ./tidemark check')
  })

  test('sends headers, and the request of a monitor', async () => {
    const jsonPath = ['method=$.method', 'token=$.token']
    const plain = await check([`${base}/echo`], { jsonPath, json: true, header: ['X-Token: a: b'] }, OPEN)
    expect(JSON.parse(plain.out)).toMatchObject({ fields: { method: 'GET', token: 'a: b' } })
    await writeFile(
      join(folder, 'post.json'),
      JSON.stringify({
        ...MONITOR,
        url: `${base}/echo`,
        extract_config: { method: 'json_path', fields: { method: '$.method', token: '$.token' } },
        diff_predicate: { type: 'any_field_changes' },
        request_headers: { 'X-Token': 'c' },
        request_config: { method: 'POST', body: '{}' },
      }),
    )
    const posted = await check([], { monitor: 'post.json', json: true }, OPEN)
    expect(JSON.parse(posted.out)).toMatchObject({ target: `${base}/echo`, fields: { method: 'POST', token: 'c' } })
  })

  test('tries a monitor on another page', async () => {
    await writeFile(join(folder, 'good.json'), JSON.stringify(MONITOR))
    const { code, out } = await check(['page.html'], { monitor: 'good.json' })
    expect(code).toBe(0)
    expect(out).toContain('price   "€ 49,90"')
  })

  const manifest = (name: string, spec: object = {}) => ({
    apiVersion: 'tidemark.dev/v1',
    kind: 'Monitor',
    metadata: { name, namespace: 'shop' },
    spec: { ...(toResourceNames(MonitorSpec, MONITOR) as object), ...spec },
  })

  test('tries a manifest in YAML or JSON, and one of a folder by its name', async () => {
    const hook = { type: 'webhook', urlFrom: { secretKeyRef: { name: 'chat', key: 'hook' } } }
    const kettle = manifest('kettle', { deliveries: [hook], suspend: true })
    await mkdir(join(folder, 'monitors'), { recursive: true })
    const pot = manifest('pot', {
      extractConfig: { method: 'css', fields: { title: 'h1' } },
      diffPredicate: { type: 'any_field_changes' },
    })
    await writeFile(join(folder, 'monitors/both.yaml'), `# two\n${stringify(kettle)}---\n${stringify(pot)}`)
    await writeFile(join(folder, 'one.json'), JSON.stringify(kettle))
    for (const options of [
      { monitor: 'one.json' },
      { monitor: 'monitors', name: 'kettle' },
      { monitor: 'monitors/both.yaml', name: 'shop/kettle' },
    ]) {
      const { code, out } = await check(['page.html'], options)
      expect([code, out]).toEqual([0, expect.stringContaining('price   "€ 49,90"')])
    }
    expect((await check(['page.html'], { monitor: 'monitors', name: 'pot' })).out).toContain('title')
    expect(await usageError(['page.html'], { monitor: 'monitors' })).toMatch(/choose one by --name\n +shop\/kettle\n/)
    const none = await usageError(['page.html'], { monitor: 'monitors', name: 'lamp' })
    expect(none).toMatch(/monitors has no Monitor lamp; it has:\n +shop\/kettle\n +shop\/pot$/)
    expect(await usageError(['page.html'], { name: 'lamp' })).toContain('--name chooses among the manifests')
  })

  test('calls a manifest with a bad name by that name, and one without a name by its line', async () => {
    const named = (metadata: object) => stringify({ ...manifest('pot'), metadata })
    await writeFile(
      join(folder, 'names.yaml'),
      `${named({ name: 'Blue Kettle', namespace: 'shop' })}---\n${named({ labels: {} })}`,
    )
    const several = await usageError(['page.html'], { monitor: 'names.yaml' })
    expect(several).toMatch(/--name\n {2}shop\/Blue Kettle\n {2}the one at \S+names\.yaml:\d+, which has no name$/)
    const bad = await usageError(['page.html'], { monitor: 'names.yaml', name: 'Blue Kettle' })
    expect(bad).toContain('metadata.name must have lower-case letters')
    expect(await usageError(['page.html'], { monitor: 'names.yaml', name: 'unnamed' })).toContain('no Monitor unnamed')
  })

  test('names every fault of a manifest with its line, in their order', async () => {
    const bad = manifest('kettle', { url: 'http://10.0.0.1/', scheduleIntervalSeconds: 5 })
    const header = { name: 'X-Token', secretKeyRef: { name: 'keys', key: 'token' } }
    await writeFile(
      join(folder, 'bad.yaml'),
      stringify({ ...bad, spec: { ...bad.spec, requestHeadersFrom: [header] }, colour: 1 }),
    )
    const lines = (await usageError(['page.html'], { monitor: 'bad.yaml' })).split('\n').slice(1)
    expect(lines.map((line) => line.replace(/^.*bad\.yaml:(\d+):\d+: (\S+) .*$/, '$1 $2'))).toEqual([
      '8 spec.url',
      '9 spec.scheduleIntervalSeconds',
      '19 spec.requestHeadersFrom[0].secretKeyRef:',
      '22 colour',
    ])
  })

  test('names every fault of a monitor with its path', async () => {
    const extract_config = { method: 'css', fields: { price: '.price[' } }
    await writeFile(
      join(folder, 'bad.json'),
      JSON.stringify({ ...MONITOR, name: '', url: 'http://10.0.0.1/', extract_config, colour: 'blue' }),
    )
    const lines = (await usageError([], { monitor: 'bad.json' })).split('\n').slice(1).toSorted()
    expect(lines).toEqual([
      '  colour is not a known key',
      expect.stringMatching(/^ {2}extract_config\.fields\.price is not a CSS selector/),
      '  name must not be empty',
      expect.stringMatching(/^ {2}url The target is not allowed.*TIDEMARK_ALLOW_PRIVATE_CIDRS/),
    ])
  })

  test.each<[string[], CheckOptions, string]>([
    [[], {}, 'name a file or an address'],
    [['page.html'], { css: ['.price'] }, '--css takes a name and a rule, as in --css price=.price'],
    [['page.html'], { css: ['a=h1', 'a=h2'] }, '--css names the field "a" twice'],
    [['page.html'], { css: ['a=h1[', 'b=h1'] }, '--css a: is not a CSS selector'],
    [['page.html'], { jsonPath: ['the version=$.a['] }, '--json-path the version: is not a JSONPath'],
    [['page.html'], { css: ['a=h1'], regex: ['a=b'] }, '--css and --regex cannot be combined'],
    [['page.html'], { fullPage: true, template: 'status-page' }, 'cannot be combined'],
    [['page.html'], { template: 'nothing' }, 'sitemap-new-urls'],
    [[], { template: 'status-page' }, 'has no address of its own'],
    [['page.html'], { css: ['a=h1'], header: ['Accept'] }, '--header takes a name and a value'],
    [['page.html'], { css: ['a=h1'], header: ['Host: x'] }, '--header'],
    [[], { monitor: 'missing.json' }, 'there is no such file'],
    [[], { monitor: 'page.html' }, 'is not JSON: line 1, column 1: expected a value, found "<"'],
    [[], { monitor: 'api.json', header: ['a: b'] }, '--header cannot be combined with --monitor'],
    [['ftp://example.com/'], { css: ['a=h1'] }, 'ftp://example.com/: The URL must begin with http:// or https://'],
    [['http://user:secret@example.com/'], { css: ['a=h1'] }, 'http://…@example.com/: The URL has a user name'],
  ])('%j with %j is a usage error that says %s', async (targets, options, message) => {
    expect(await usageError(targets, options)).toContain(message)
  })
})
