import { describe, expect, test } from 'vitest'
import { createLogger, terminalLine } from '../../../core/logger.ts'
import { scrub } from '../../../core/scrub.ts'
import { newApiKeyText } from '../../../store/accounts/credentials/api-key-text.ts'
import { newSessionToken, signSessionToken } from '../../../store/accounts/credentials/session-token.ts'
import { processorMs } from '../../support/run/processor-ms.ts'

function logOf(write: (log: ReturnType<typeof createLogger>) => void): string {
  let text = ''
  write(createLogger('debug', { write: (line) => void (text += line) }))
  return text
}

const key = newApiKeyText()
const session = signSessionToken(newSessionToken(), 'a key')
const canaries: readonly (readonly [string, unknown, string])[] = [
  ['an API key in a message', `failed for ${key}`, key],
  ['a key in a header', { headers: { Authorization: `Bearer ${key}` } }, key],
  ['a session token', { note: `token ${session}` }, session],
  ['an encoded session token', { note: encodeURIComponent(session) }, encodeURIComponent(session)],
  ['a password deep down', { a: { b: [{ Password: 'canary-1' }] } }, 'canary-1'],
  ['a quoted secret', { secret: 'canary "2" \\' }, 'canary'],
  ['a cookie', { headers: { cookie: 'a=canary-3' } }, 'canary-3'],
  ['credentials in an address', { url: 'https://user:canary-4@host/' }, 'canary-4'],
  ['a token in a query', { url: 'https://host/?page=1&access_token=canary-5&x=1' }, 'canary-5'],
  ['a chat webhook', { to: 'https://hooks.slack.com/services/T0/B0/canary-6' }, 'canary-6'],
  ['another chat webhook', { to: 'https://discord.com/api/webhooks/1/canary-7' }, 'canary-7'],
  ['a cause', { err: new Error('a', { cause: new Error('postgres://u:canary-8@h/d') }) }, 'canary-8'],
  [
    'values of a failed query',
    { err: Object.assign(new Error('a'), { values: ['canary-9'], row: { x: 'canary-9' } }) },
    'canary-9',
  ],
]

describe('no log line holds', () => {
  test.each(canaries)('%s', (_what, value, canary) => {
    const text = logOf((log) => (typeof value === 'string' ? log.info(value) : log.error(value, 'failed')))
    expect(text).not.toContain(canary)
    expect(() => JSON.parse(text)).not.toThrow()
  })
})

test('what is no secret stays', () => {
  const line = '{"msg":"GET https://shop.example.com/a?page=2&q=x took 3 ms","hash":"0f3a","email":"a@example.com"}'
  expect(scrub(line)).toBe(line)
})

test('an error is logged with its type, code, message and stack', () => {
  const text = logOf((log) => log.error({ err: Object.assign(new TypeError('broken'), { code: 'E1' }) }, 'failed'))
  expect(JSON.parse(text)).toMatchObject({
    level: 'error',
    msg: 'failed',
    err: { type: 'TypeError', code: 'E1', message: 'broken' },
  })
  expect(JSON.parse(text).err.stack).toContain('logger.test.ts')
})

describe('on a terminal', () => {
  const shown = (write: (log: ReturnType<typeof createLogger>) => void) => terminalLine(logOf(write))

  test('a line has the time, the level, the text, and the fields', () => {
    const line = shown((log) => log.info({ monitor: 'The kettle', ms: 12, fired: false, code: null }, 'run'))
    expect(line).toMatch(/^\d\d:\d\d:\d\d INFO {2}run {2}monitor="The kettle" {2}ms=12 {2}fired=false\n$/)
  })

  test('an error follows below, with its stack', () => {
    const line = shown((log) => log.error({ err: new TypeError('broken'), run_id: 'r' }, 'failed'))
    expect(line).toMatch(/^\d\d:\d\d:\d\d ERROR failed {2}run_id="r"\n {4}TypeError: broken\n {8}at /)
  })

  test('what is not JSON stays as it is', () => expect(terminalLine('plain\n')).toBe('plain\n'))
})

test('a long line is scrubbed in no time', () => {
  const hostile = [
    `?${'a-'.repeat(50_000)}`,
    `://${'x'.repeat(100_000)}`,
    '&key'.repeat(20_000),
    `svc_${'A'.repeat(100_000)}`,
    '"token":"'.repeat(10_000),
  ].join(' ')
  expect(processorMs(() => scrub(hostile))).toBeLessThan(1_000)
})
