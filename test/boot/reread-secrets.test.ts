import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { billingOf } from '../../boot/parts/billing.ts'
import { mailerOf } from '../../boot/parts/mail.ts'
import { promptsOf } from '../../boot/parts/model.ts'
import { readSettings } from '../../boot/settings/read-config.ts'
import { rereadSecrets } from '../../boot/settings/reread-secrets.ts'
import { createLogger } from '../../core/logger.ts'
import { openMailbox } from '../support/mail/mailbox.ts'
import { openSite, type Site } from '../support/network/site.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let site: Site
let lines: Readonly<Record<string, unknown>>[] = []
const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
beforeAll(async () => {
  folder = await temporaryFolder()
  site = await openSite()
})
beforeEach(() => void (lines = []))
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Reads settings whose secrets are in files. `change` writes other secrets and has the files read again. */
async function settingsOf(secrets: Readonly<Record<string, string>>, others: Readonly<Record<string, string>> = {}) {
  const pathOf = (name: string) => join(folder.path, name)
  const write = (all: Readonly<Record<string, string>>) =>
    Promise.all(Object.entries(all).map(([name, text]) => writeFile(pathOf(name), text)))
  const files = Object.fromEntries(Object.keys(secrets).map((name) => [`${name}_FILE`, pathOf(name)]))
  await write(secrets)
  const read = () => readSettings({ ...files, ...others })
  const settings = read()
  const change = async (changed: Readonly<Record<string, string>>) => {
    await write(changed)
    return rereadSecrets(settings, read, log)
  }
  return { settings, change, pathOf }
}

const NEVER = new AbortController().signal
const mail = (id: string) => ({ to: 'ada@example.com', subject: 'S', text: 'T', html: '<p>T', id })
const limits = { deadlineMs: 20_000, signal: NEVER }

describe('a secret file that is read again', () => {
  test('sends the next mail through the new server; mails under way and in the queue are not lost', async () => {
    const held = Promise.withResolvers<void>()
    await using before = await openMailbox({
      onMailFrom: (_address, _session, done) => void held.promise.then(() => done()),
    })
    await using behind = await openMailbox()
    const { settings, change } = await settingsOf(
      { SMTP_URL: `smtp://127.0.0.1:${before.port}` },
      { SMTP_FROM: 'watch@tide.example', TIDEMARK_DESTINATION_CONCURRENCY: '1' },
    )
    const mailer = mailerOf(settings)
    const earlier = ['first', 'waiting'].map((id) => mailer?.send(mail(id), limits))
    await eventually(
      () => before.contacts,
      (contacts) => contacts > 0,
    )
    expect(await change({ SMTP_URL: `smtp://127.0.0.1:${behind.port}` })).toBe(true)
    expect(await mailer?.send(mail('second'), limits)).toMatchObject({ kind: 'taken' })
    held.resolve()
    for (const sent of earlier) expect(await sent).toMatchObject({ kind: 'taken' })
    expect([before.letters.length, behind.letters.length]).toEqual([2, 1])
    mailer?.close()
  })

  test('is the key of the next question to the model', async () => {
    const { settings, change } = await settingsOf({ LLM_API_KEY: 'sk-before' }, { LLM_BASE_URL: site.origin })
    const asked: (string | undefined)[] = []
    site.page('/chat/completions', (response, { headers }) => {
      asked.push(headers.authorization)
      response.writeHead(401).end('{}')
    })
    const prompts = promptsOf(settings, { store: null, log })
    const ask = () => prompts?.ask({ teamId: 't', prompt: 'What?', schema: null, text: 'A page' }, NEVER)
    await ask()
    await change({ LLM_API_KEY: 'sk-behind' })
    await ask()
    expect(asked).toEqual(['Bearer sk-before', 'Bearer sk-behind'])
    await prompts?.close()
  })

  test('stays out of the log where the question was sent before the change', async () => {
    const { settings, change } = await settingsOf({ LLM_API_KEY: 'sk-before' }, { LLM_BASE_URL: site.origin })
    site.page('/chat/completions', (response, { headers }) => {
      const message = `no such key: ${headers.authorization?.slice(7)}, nor sk-behind`
      response.writeHead(401, { 'content-type': 'application/json' })
      void change({ LLM_API_KEY: 'sk-behind' }).then(() => response.end(JSON.stringify({ error: { message } })))
    })
    const prompts = promptsOf(settings, { store: null, log })
    await prompts?.ask({ teamId: 't', prompt: 'What?', schema: null, text: 'A page' }, NEVER)
    await prompts?.close()
    expect(JSON.stringify(lines)).toContain('no such key: (LLM_API_KEY), nor (LLM_API_KEY)')
    expect(JSON.stringify(lines)).not.toContain('sk-')
  })

  test('asks Stripe with the new key, and judges its events by the new secret', async () => {
    const { settings, change } = await settingsOf(
      { STRIPE_SECRET_KEY: 'sk_before', STRIPE_WEBHOOK_SECRET: 'whsec_before' },
      { STRIPE_API_URL: site.origin, STRIPE_PRICES: '{"lite":"price_lite"}' },
    )
    const asked: (string | undefined)[] = []
    site.page('/v1/customers', (response, { headers }) => {
      asked.push(headers.authorization)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"cus_1","object":"customer"}')
    })
    const payments = billingOf(settings)?.payments
    const create = () => payments?.createCustomer({ teamId: 't', email: 'ada@example.com', after: null })
    const signedWith = (secret: string) => {
      const body = '{"object":"event","type":"ping"}'
      const time = Math.floor(Date.now() / 1000)
      const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
      return payments?.readEvent(Buffer.from(body), `t=${time},v1=${signature}`)
    }
    await create()
    await change({ STRIPE_SECRET_KEY: 'sk_behind', STRIPE_WEBHOOK_SECRET: 'whsec_behind' })
    await create()
    expect(asked).toEqual(['Bearer sk_before', 'Bearer sk_behind'])
    expect([await signedWith('whsec_before'), await signedWith('whsec_behind')]).toEqual([null, { kind: 'other' }])
  })

  test('is named in the log without its text, and one that is for the next start stays what it was', async () => {
    const { settings, change } = await settingsOf(
      { DATABASE_URL: 'postgres://ada:before@db/tidemark', TIDEMARK_METRICS_TOKEN: 'the-token-before' },
      { TIDEMARK_ENCRYPTION_KEY: 'a key that is long enough' },
    )
    await change({ DATABASE_URL: 'postgres://ada:behind@db/tidemark', TIDEMARK_METRICS_TOKEN: 'the-token-behind' })
    expect(settings).toMatchObject({
      DATABASE_URL: 'postgres://ada:before@db/tidemark',
      TIDEMARK_METRICS_TOKEN: 'the-token-behind',
    })
    expect(lines).toMatchObject([
      { level: 'info', setting: 'TIDEMARK_METRICS_TOKEN_FILE', msg: expect.stringContaining('is used') },
      { level: 'warn', setting: 'DATABASE_URL_FILE', msg: expect.stringContaining('next start') },
    ])
    expect(JSON.stringify(lines)).not.toContain('behind')
  })

  test('is not that of a runner, which renews its token in the file itself', async () => {
    const { settings, change } = await settingsOf({ TIDEMARK_RUNNER_TOKEN: 'tdr_before' })
    expect(await change({ TIDEMARK_RUNNER_TOKEN: 'tdr_behind' })).toBe(true)
    expect(settings).toMatchObject({ TIDEMARK_RUNNER_TOKEN: 'tdr_before' })
    expect(lines).toEqual([])
  })

  test('changes nothing where one of them is not valid', async () => {
    const { settings, change, pathOf } = await settingsOf(
      { SMTP_URL: 'smtp://mail', TIDEMARK_METRICS_TOKEN: 'the-token-before' },
      { SMTP_FROM: 'watch@tide.example' },
    )
    expect(await change({ SMTP_URL: 'http://mail', TIDEMARK_METRICS_TOKEN: 'the-token-behind' })).toBe(false)
    expect(settings).toMatchObject({ SMTP_URL: 'smtp://mail', TIDEMARK_METRICS_TOKEN: 'the-token-before' })
    expect(lines).toMatchObject([
      { level: 'error', setting: 'SMTP_URL_FILE', msg: expect.stringContaining(`(${pathOf('SMTP_URL')}) must be`) },
      { level: 'error', msg: expect.stringContaining('no setting was changed') },
    ])
  })
})
