import { describe, expect, test } from 'vitest'
import { egressPolicy } from '../../boot/parts/egress.ts'
import { noAnswer } from '../../deliveries/channels/no-answer.ts'
import { vet } from '../../egress/guarded-agent.ts'
import { createPolicy } from '../../egress/policy.ts'
import type { Resolver } from '../../egress/resolve.ts'
import { checkTargetUrl, parseTargetUrl } from '../../egress/target-url.ts'
import { exchangeFault } from '../../runners/fetch/fetch-faults.ts'
import { ALLOWED_URLS, DENIED_ADDRESSES, MALFORMED_URLS, PRIVATE_URLS } from '../support/network/addresses.ts'

const closed = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
const loopback = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [{ host: '127.0.0.1', port: 5432 }] })

describe('parseTargetUrl', () => {
  test.each(MALFORMED_URLS)('refuses %j', (raw) => {
    expect(parseTargetUrl(raw)).toEqual({ ok: false, message: expect.stringMatching(/^The .+\.$/) })
  })

  test.each(ALLOWED_URLS)('reads %j', (raw) => {
    expect(parseTargetUrl(raw)).toMatchObject({ ok: true })
  })

  test('drops the fragment and keeps the rest', () => {
    const parsed = parseTargetUrl('https://Example.com:443/a?b=c#d')
    expect(parsed.ok && parsed.url.href).toBe('https://example.com/a?b=c')
  })

  test('takes 2,048 characters and no more, also when encoding makes them more', () => {
    const at = (length: number) => `http://example.com/${'a'.repeat(length - 'http://example.com/'.length)}`
    expect(parseTargetUrl(at(2_048)).ok).toBe(true)
    expect(parseTargetUrl(at(2_049)).ok).toBe(false)
    expect(parseTargetUrl(`http://example.com/${'ü'.repeat(1_000)}`).ok).toBe(false)
  })

  test('never repeats the URL in its message', () => {
    const messages = MALFORMED_URLS.map((raw) => parseTargetUrl(raw)).map((parsed) => (parsed.ok ? '' : parsed.message))
    expect(messages.filter((message) => /example|127|user:/.test(message))).toEqual([])
  })
})

describe('checkTargetUrl', () => {
  test.each([...MALFORMED_URLS, ...PRIVATE_URLS])('refuses %j at save, at the path that it was given', (raw) => {
    expect(checkTargetUrl(raw, closed, 'deliveries[0].url')).toEqual({
      path: 'deliveries[0].url',
      message: expect.any(String),
    })
  })

  test('refuses every denied address as a literal host', () => {
    const urls = DENIED_ADDRESSES.map((address) =>
      address.includes(':') ? `http://[${address}]/` : `http://${address}/`,
    )
    expect(urls.filter((url) => checkTargetUrl(url, closed) === null)).toEqual([])
  })

  test.each(ALLOWED_URLS)('accepts %j', (raw) => {
    expect(checkTargetUrl(raw, closed)).toBeNull()
  })

  test.each([
    'http://127.0.0.1:3000/',
    'http://localhost:3000/',
    'http://127.1/',
    'http://app.localhost./',
    'http://localhost:22/',
  ])('accepts %s where loopback is open', (raw) => {
    expect(checkTargetUrl(raw, loopback)).toBeNull()
  })

  test.each([
    'http://127.0.0.1:5432/',
    'http://localhost:5432/',
    'http://[::1]/',
    'http://10.0.0.1/',
    'http://metadata.google.internal/',
  ])('refuses %s although loopback is open', (raw) => {
    expect(checkTargetUrl(raw, loopback)).not.toBeNull()
  })

  test('names the value of the chart where the chart has made the settings', async () => {
    const allowPrivateCidrs: readonly string[] = []
    const settings = { allowPrivateCidrs, denyCidrs: [], KUBERNETES_SERVICE_PORT: 443 } as const
    const of = (installedBy: 'person' | 'chart') => egressPolicy({ ...settings, TIDEMARK_INSTALLED_BY: installedBy })
    const resolver = { resolve: () => Promise.resolve({ ok: true, addresses: [{ address: '10.0.0.1', family: 4 }] }) }
    for (const [policy, name] of [
      [of('chart'), 'open the range with egress.allowPrivateCidrs'],
      [of('person'), 'open the range with TIDEMARK_ALLOW_PRIVATE_CIDRS'],
    ] as const) {
      expect(checkTargetUrl('http://10.0.0.1/', policy)?.message).toContain(name)
      const vetted = await vet({ host: 'a.example.com', port: 80 }, policy, resolver as Resolver, 'team')
      if (vetted.ok || vetted.failure.kind !== 'denied') throw new Error('a private address was allowed')
      expect(exchangeFault(vetted.failure, { host: 'a.example.com' }, 0).message).toContain(name)
      expect(noAnswer(vetted.failure, 'a.example.com')).toContain(name)
    }
  })

  test('says what to do about a private address', () => {
    expect(checkTargetUrl('http://10.0.0.1/', closed)?.message).toBe(
      'The target is not allowed: its address is private. Use a public address, or have the operator of this ' +
        'installation open the range ' +
        'with TIDEMARK_ALLOW_PRIVATE_CIDRS.',
    )
  })

  test.each([
    'http://169.254.169.254/latest',
    'http://[fe80::1]/',
    'http://0.0.0.0/',
    'http://metadata.google.internal/',
  ])('does not say that %s could be opened, which no setting does', (raw) => {
    expect(checkTargetUrl(raw, closed)?.message).toMatch(/^The target is not allowed: .*\. Use a public address\.$/)
  })

  test('refuses a listed port on a name only while no private range is open', () => {
    expect(checkTargetUrl('http://example.com:25/', closed)?.message).toMatch(/^Its port is not fetched/)
    expect(checkTargetUrl('http://example.com:25/', loopback)).toBeNull()
    expect(checkTargetUrl('http://1.1.1.1:25/', loopback)).not.toBeNull()
  })
})
