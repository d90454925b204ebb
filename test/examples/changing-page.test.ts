import { request } from 'undici'
import { expect, test } from 'vitest'
import { sign } from '../../core/signature.ts'
import { shared } from '../support/run/shared.ts'
import { startExamplePage } from './example-page.ts'

const SECRET = 'c'.repeat(64)
const example = shared(startExamplePage)

async function call(method: 'GET' | 'POST', path: string, body = '', headers = {}): Promise<[number, string]> {
  const answer = await request(example.base + path, { method, headers, ...(body !== '' && { body }) })
  return [answer.statusCode, await answer.body.text()]
}

const now = () => Math.floor(Date.now() / 1000)

test('the example page shows a price that changes on request', async () => {
  const [, before] = await call('GET', '/')
  expect(before).toContain('class="price">$19.99<')
  expect(await call('POST', '/change')).toEqual([200, '$17.49\n'])
  const [, after] = await call('GET', '/')
  expect(after).toContain('class="price">$17.49<')
  expect(after).not.toContain('Sale')
  expect(await call('POST', '/change')).toEqual([200, '$14.99\n'])
  expect((await call('GET', '/'))[1]).toContain('Sale')
})

test('the example receiver takes what is signed, and only that', async () => {
  const body = JSON.stringify({ text: 'ünï' })
  expect(await call('POST', '/hook', body)).toEqual([200, 'not checked, because no secret is set\n'])
  await call('POST', '/secret', SECRET)
  const hook = (secrets: string[], time: number, sent = body) =>
    call('POST', '/hook', sent, { 'Service-Signature': sign(secrets, time, body) })
  expect(await hook([SECRET], now())).toEqual([200, 'verified\n'])
  expect(await hook(['d'.repeat(64), SECRET], now())).toEqual([200, 'verified\n'])
  expect(await hook(['d'.repeat(64)], now())).toEqual([400, 'not verified\n'])
  // Each monitor has its own: a second one is as good as the first.
  await call('POST', '/secret', 'e'.repeat(64))
  expect(await hook(['e'.repeat(64)], now())).toEqual([200, 'verified\n'])
  expect(await hook([SECRET], now())).toEqual([200, 'verified\n'])
  expect(await hook([SECRET], now() - 400)).toEqual([400, 'not verified\n'])
  expect(await hook([SECRET], now(), '{}')).toEqual([400, 'not verified\n'])
  expect(await call('POST', '/hook', body)).toEqual([400, 'not verified\n'])
  expect(example.output).toContain('received, verified:\n{\n  "text": "ünï"\n}')
})
