import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runDoctor } from '../../../boot/doctor/run-doctor.ts'
import { SECRET_SETTINGS, secretFileOf } from '../../../schema/config/secret-settings.ts'
import { DOCTOR_CHECKS, type DoctorCheckName } from '../../../schema/doctor.ts'
import { table } from '../../../tools/generate/markdown.ts'
import { openMailbox } from '../../support/mail/mailbox.ts'
import { freePort } from '../../support/network/free-port.ts'
import { answer, rawServer } from '../../support/network/raw-server.ts'
import { checkIn, type Checks, type Environment, reportOf as reportIn } from './report-of.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-doctor-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** In a folder without anything. */
const reportOf = (environment: Environment, checks?: Checks) =>
  reportIn({ TIDEMARK_DATA_DIR: join(folder, 'never'), ...environment }, checks)
const found = async (name: DoctorCheckName, environment: Environment) => checkIn(await reportOf(environment), name)

test('with nothing set, nothing fails, and nothing is left behind', async () => {
  const report = await reportOf({})
  expect(report.checks.map(({ name, status }) => [name, status])).toEqual([
    ['settings', 'ok'],
    ['node', 'ok'],
    ['postgres', 'ok'],
    ['migrations', 'not_set_up'],
    ['clock', 'not_set_up'],
    ['browser', 'not_set_up'],
    ['fonts', 'not_set_up'],
    ['disk', 'ok'],
    ['ports', 'ok'],
    ['dns', 'not_set_up'],
    ['egress', 'ok'],
    ['mail', 'not_set_up'],
    ['model', 'not_set_up'],
  ])
  expect(report).toMatchObject({ version: '1.2.3', failed: 0, warnings: 0, node: process.versions.node })
  expect(await readdir(folder)).toEqual([])
})

test('Node that is too old fails', async () => {
  const report = await runDoctor({
    environment: { TIDEMARK_BROWSER_PAGES: '0', PORT: '0' },
    version: '1',
    neededNode: 999,
  })
  expect(checkIn(report, 'node')).toMatchObject({ status: 'failed', advice: expect.stringContaining('Node 999') })
})

describe('a check that', () => {
  test('throws is a finding, and the others are made', async () => {
    const look = () => {
      throw new Error('a bug')
    }
    const report = await reportOf({}, { dns: { limitMs: 1_000, reads: [], look } })
    expect(checkIn(report, 'dns')).toMatchObject({ status: 'failed', what: expect.stringContaining('a bug') })
    expect([report.failed, checkIn(report, 'model').status]).toEqual([1, 'not_set_up'])
  })

  test('hangs ends at its limit', async () => {
    const report = await reportOf({}, { dns: { limitMs: 20, reads: [], look: () => new Promise(() => {}) } })
    expect(checkIn(report, 'dns')).toMatchObject({ status: 'failed', what: 'There was no answer within 0.02 s.' })
  })

  test('needs a setting that is not valid is left out', async () => {
    const report = await reportOf({ SMTP_URL: 'mail.example.com', DATABASE_URL: 'mysql://a/b', TIDEMARK_FROB: '1' })
    const { what } = checkIn(report, 'settings')
    for (const part of ['TIDEMARK_FROB is not a setting', 'SMTP_FROM is required', 'must begin with postgres://'])
      expect(what).toContain(part)
    expect(checkIn(report, 'mail')).toMatchObject({ status: 'not_set_up', what: expect.stringContaining('SMTP_URL') })
    // Not the embedded one in its place.
    expect(checkIn(report, 'postgres').what).toBe('Not looked at: DATABASE_URL is not valid.')
    expect(checkIn(report, 'disk').status).toBe('ok')
    expect(report.failed).toBe(1)
  })
})

describe('the data folder', () => {
  test('that is a file', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const disk = await found('disk', { TIDEMARK_DATA_DIR: join(file, 'below') })
    await rm(file)
    expect(disk).toMatchObject({ status: 'failed', advice: expect.stringContaining('TIDEMARK_DATA_DIR') })
  })

  test('that exists', async () => {
    const own = join(folder, 'own')
    await mkdir(own)
    expect((await found('disk', { TIDEMARK_DATA_DIR: own })).what).toMatch(/can be written\. The disk .* MB left\.$/)
    await rm(own, { recursive: true })
  })
})

describe('ports', () => {
  test('one that another program has', async () => {
    const other = createServer((socket) =>
      socket
        .resume()
        .on('error', () => {})
        .end('hello\n'),
    )
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const ports = await found('ports', { PORT: String(port), TIDEMARK_METRICS_PORT: '0' })
    other.close()
    expect(ports).toMatchObject({
      status: 'failed',
      what: `PORT is ${port}, but the port is in use on 127.0.0.1.`,
      advice: expect.stringContaining('0 for any that is free'),
    })
  })

  test('one that Tidemark has, and one that is free', async () => {
    const body = JSON.stringify({ status: 'ok', checks: { store: 'migrated' } })
    await using health = await rawServer(answer('200 OK', body, { connection: 'close' }))
    const free = String(await freePort())
    const ports = await found('ports', { PORT: free, TIDEMARK_METRICS_PORT: String(health.port) })
    expect([ports.status, ports.what]).toEqual([
      'ok',
      `PORT (${free}) is free; TIDEMARK_METRICS_PORT (${health.port}) is in use by Tidemark.`,
    ])
  })
})

describe('mail', () => {
  const SMTP_FROM = 'watch@example.com'

  test('a server that answers gets a greeting and no mail', async () => {
    await using box = await openMailbox()
    const mail = await found('mail', { SMTP_URL: `smtp://127.0.0.1:${box.port}`, SMTP_FROM })
    expect(mail).toMatchObject({ status: 'ok', what: 'The mail server answers; STARTTLS where it is offered.' })
    expect([box.contacts, box.letters]).toEqual([1, []])
  })

  test('a login that is refused', async () => {
    await using box = await openMailbox({ onAuth: (_auth, _session, done) => done(new Error('not ada')) })
    const SMTP_URL = `smtp://ada:canary-login@127.0.0.1:${box.port}?requireTLS=false`
    const mail = await found('mail', { SMTP_URL, SMTP_FROM })
    expect(mail).toMatchObject({ status: 'failed', advice: expect.stringContaining('password in SMTP_URL') })
    expect(JSON.stringify(mail)).not.toMatch(/ada|canary/)
  })

  test('a server without TLS where TLS is required', async () => {
    await using box = await openMailbox()
    const SMTP_URL = `smtp://127.0.0.1:${box.port}?requireTLS=true`
    const mail = await found('mail', { SMTP_URL, SMTP_FROM })
    expect(mail).toMatchObject({ status: 'failed', what: expect.stringContaining('A secure connection') })
  })
})

describe('the model', () => {
  test('answers, and gets neither a key nor a prompt', async () => {
    await using model = await rawServer(answer('404 Not Found', '{}', { connection: 'close' }))
    const LLM_BASE_URL = `http://127.0.0.1:${model.port}/v1`
    const one = await found('model', { LLM_BASE_URL, LLM_API_KEY: 'canary-of-the-model' })
    expect(one).toMatchObject({ status: 'ok', what: expect.stringMatching(/answers \(404\)\. A key is set; .*gpt-4/) })
    expect(model.requests).toEqual([expect.stringMatching(/^GET \/v1 /)])
    expect(model.requests.join()).not.toMatch(/canary|authorization/i)
  })

  test('does not answer', async () => {
    const one = await found('model', { LLM_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` })
    expect(one).toMatchObject({ status: 'failed', what: expect.stringContaining('(ECONNREFUSED). No key is set.') })
  })
})

describe('egress', () => {
  test('says what is allowed, and warns of everything', async () => {
    expect((await found('egress', { TIDEMARK_ALLOW_PRIVATE_CIDRS: '10.0.0.0/8' })).what).toContain('10.0.0.0/8')
    expect((await found('egress', { TIDEMARK_ALLOW_PRIVATE_CIDRS: '0.0.0.0/0' })).status).toBe('warning')
  })

  test('a proxy that cannot be reached, and one that other programs use', async () => {
    const proxy = await found('egress', { TIDEMARK_PROXY_URL: `http://127.0.0.1:${await freePort()}` })
    expect(proxy).toMatchObject({ status: 'failed', what: expect.stringContaining('(ECONNREFUSED)') })
    const other = await found('egress', { HTTPS_PROXY: 'http://ada:canary@127.0.0.1:3128' })
    expect(other).toMatchObject({ status: 'warning', what: expect.stringContaining('HTTPS_PROXY is set') })
    expect(JSON.stringify(other)).not.toContain('canary')
  })

  test('a file of authorities that is missing', async () => {
    const one = await found('egress', { TIDEMARK_EXTRA_CA_FILE: join(folder, 'none.pem') })
    expect(one).toMatchObject({ status: 'failed', what: expect.stringContaining('cannot be read (ENOENT)') })
  })
})

describe('dns', () => {
  test('names the setting whose host does not exist, and not the host', async () => {
    const dns = await found('dns', { LLM_BASE_URL: 'http://canary.invalid/v1' })
    expect(dns).toMatchObject({ status: 'failed', what: expect.stringContaining('LLM_BASE_URL') })
    expect(JSON.stringify(dns)).not.toContain('canary')
  })

  test('asks nobody for addresses and this machine', async () => {
    expect((await found('dns', { LLM_BASE_URL: 'http://localhost:1/v1' })).status).toBe('not_set_up')
  })
})

describe('no report contains', () => {
  const canary = (name: string) => `canary-${name.toLowerCase().replaceAll('_', '-')}-1f0d9c`
  const nowhere = '127.0.0.1:1'
  const addresses: Readonly<Record<string, string>> = {
    DATABASE_URL: `postgres://ada:${canary('DATABASE_URL')}@${nowhere}/name?password=${canary('other')}`,
    SMTP_URL: `smtp://ada:${canary('SMTP_URL')}@${nowhere}`,
    TIDEMARK_PROXY_URL: `http://ada:${canary('TIDEMARK_PROXY_URL')}@${nowhere}`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${canary('OTEL')}`,
  }
  const valid = Object.fromEntries(SECRET_SETTINGS.map((name) => [name, addresses[name] ?? canary(name)]))
  const others = {
    SMTP_FROM: 'a@example.com',
    LLM_BASE_URL: `http://${nowhere}/v1`,
    S3_BUCKET: 'pictures',
    AWS_ACCESS_KEY_ID: 'canary-access',
    TIDEMARK_OIDC_ISSUER: `http://${nowhere.replace('127.0.0.1', 'localhost')}`,
    TIDEMARK_OIDC_CLIENT_ID: 'client',
    TIDEMARK_SERP_PROVIDER_URL: `http://${nowhere}`,
    STRIPE_PRICES: '{"pro":"price_1"}',
  }
  const broken = Object.fromEntries(Object.entries(valid).map(([name, text]) => [name, ` ${text}/%zz\n`]))

  test.each([
    ['valid', valid],
    ['broken', broken],
    ['too long', Object.fromEntries(Object.entries(valid).map(([name, text]) => [name, text.repeat(500)]))],
  ])('a secret, where all settings of secrets are %s', async (_, secrets) => {
    const report = await reportOf({ ...others, ...secrets })
    expect(JSON.stringify(report)).not.toMatch(/canary/)
    expect(report.settings.map(({ name }) => name)).toEqual(expect.arrayContaining([...SECRET_SETTINGS]))
  })

  test('a secret of a file, and its path below the home folder', async () => {
    const files = await Promise.all(
      SECRET_SETTINGS.map(async (name) => {
        const path = join(folder, name)
        await writeFile(path, valid[name] ?? '')
        return [secretFileOf(name), path] as const
      }),
    )
    const missing = { TIDEMARK_METRICS_TOKEN_FILE: join(homedir(), 'no-such-folder', 'token') }
    const report = await reportOf({ ...others, ...Object.fromEntries(files), ...missing })
    await Promise.all(files.map(([, path]) => rm(path)))
    expect(JSON.stringify(report)).not.toMatch(/canary/)
    expect(checkIn(report, 'settings').what).toContain('names ~/no-such-folder/token, which does not exist')
    expect(report.settings).toContainEqual({ name: 'SMTP_URL', from: 'file' })
  })

  test('a secret that a bug tells', async () => {
    const look = () =>
      Promise.reject(new Error(`connect postgres://ada:${canary('DATABASE_URL')}@db, ${canary('OTEL')}`))
    const report = await reportOf({ ...others, ...valid }, { model: { limitMs: 1_000, reads: [], look } })
    expect(checkIn(report, 'model').what).toContain('[redacted]')
    expect(JSON.stringify(report)).not.toMatch(/canary/)
  })
})

test('docs/doctor.md has what each check looks at', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/doctor.md'), 'utf8')
  const rows = Object.entries(DOCTOR_CHECKS).map(([name, what]) => [`\`${name}\``, what])
  expect(page).toContain(table(['check', 'what it looks at'], rows))
})
