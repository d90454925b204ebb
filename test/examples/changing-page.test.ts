import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sign } from '../../core/signature.ts'

const SECRET = 'c'.repeat(64)
let child: ChildProcess
let output = ''
let base = ''

beforeAll(async () => {
  const script = new URL('../../examples/changing-page.ts', import.meta.url).pathname
  child = spawn(process.execPath, [script, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  while (!output.includes('its secret')) await once(child.stdout ?? child, 'data')
  base = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? ''
})
afterAll(() => {
  child.kill()
})

async function call(method: 'GET' | 'POST', path: string, body = '', headers = {}): Promise<[number, string]> {
  const answer = await request(base + path, { method, headers, ...(body !== '' && { body }) })
  return [answer.statusCode, await answer.body.text()]
}

const now = () => Math.floor(Date.now() / 1000)

test('the example page shows a price that changes when it is told to', async () => {
  const [, before] = await call('GET', '/')
  expect(before).toContain('class="price">$19.99<')
  expect(await call('POST', '/change')).toEqual([200, '$17.49\n'])
  const [, after] = await call('GET', '/')
  expect(after).toContain('class="price">$17.49<')
})

test('the example receiver takes what is signed, and only that', async () => {
  const body = JSON.stringify({ text: 'ünï' })
  expect(await call('POST', '/hook', body)).toEqual([200, 'not checked, for no secret is set\n'])
  await call('POST', '/secret', SECRET)
  const hook = (secrets: string[], time: number, sent = body) =>
    call('POST', '/hook', sent, { 'Service-Signature': sign(secrets, time, body) })
  expect(await hook([SECRET], now())).toEqual([200, 'verified\n'])
  expect(await hook(['d'.repeat(64), SECRET], now())).toEqual([200, 'verified\n'])
  expect(await hook(['d'.repeat(64)], now())).toEqual([400, 'not verified\n'])
  expect(await hook([SECRET], now() - 400)).toEqual([400, 'not verified\n'])
  expect(await hook([SECRET], now(), '{}')).toEqual([400, 'not verified\n'])
  expect(await call('POST', '/hook', body)).toEqual([400, 'not verified\n'])
  expect(output).toContain('received, verified:\n{\n  "text": "ünï"\n}')
})
