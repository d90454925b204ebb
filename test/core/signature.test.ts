import fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newSigningSecret, sign, verify } from '../../core/signature.ts'
import { verifier } from '../support/worker/signature-verifier.ts'

const SECRET = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const NOW = 1_777_636_800

const received = (header: string, rawBody: string | Uint8Array = '{}', secrets = [SECRET]) =>
  verify({ header, rawBody, secrets, nowSeconds: NOW })

describe('signing', () => {
  test('is the hex HMAC-SHA256 of timestamp, full stop and raw body under the text of the secret', () => {
    const hex = createHmac('sha256', SECRET).update(`${NOW}.{"a":1}`).digest('hex')
    expect(sign([SECRET], NOW, '{"a":1}')).toBe(`t=${NOW},v1=${hex}`)
  })

  test('signs once with each secret, in order', () => {
    expect(sign([SECRET, OTHER], NOW, '{}')).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(sign([SECRET, OTHER], NOW, '{}').startsWith(sign([SECRET], NOW, '{}'))).toBe(true)
  })

  test('signs bytes as it signs the text that they spell', () => {
    expect(sign([SECRET], NOW, new TextEncoder().encode('{"ü":"€😀"}'))).toBe(sign([SECRET], NOW, '{"ü":"€😀"}'))
  })
})

describe("a payment service's verifier, which receivers have already", () => {
  const accepts = (body: string | Buffer, header: string, secret: string) =>
    verifier?.verifyHeader(body, header, secret, 300, undefined, NOW * 1000)

  test('accepts every body that we sign', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (body) =>
        accepts(body, sign([SECRET], NOW, body), SECRET),
      ),
    )
  })

  test('accepts either secret while one is being rotated', () => {
    const header = sign([OTHER, SECRET], NOW, '{}')
    expect([accepts('{}', header, SECRET), accepts('{}', header, OTHER)]).toEqual([true, true])
  })

  test('refuses another body, another secret and an old timestamp', () => {
    expect(() => accepts('{ }', sign([SECRET], NOW, '{}'), SECRET)).toThrow(/No signatures found/)
    expect(() => accepts('{}', sign([OTHER], NOW, '{}'), SECRET)).toThrow(/No signatures found/)
    expect(() => accepts('{}', sign([SECRET], NOW - 301, '{}'), SECRET)).toThrow(/tolerance/)
  })
})

describe('verifying', () => {
  test('accepts every body that we sign, under either secret', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        const header = sign([OTHER, SECRET], NOW, body)
        expect(received(header, body)).toEqual({ ok: true })
        expect(received(header, body, [OTHER])).toEqual({ ok: true })
        expect(received(sign([SECRET], NOW, body), body, [OTHER, SECRET])).toEqual({ ok: true })
      }),
    )
  })

  test('refuses a body that differs in any byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (body, at, by) => {
        const changed = body.map((byte, index) => (index === at % body.length ? byte ^ by : byte))
        expect(received(sign([SECRET], NOW, body), changed)).toEqual({ ok: false, reason: 'mismatch' })
      }),
    )
  })

  test('refuses a header that differs in any digit', () => {
    const header = sign([SECRET], NOW, '{}')
    for (let at = 0; at < header.length; at++) {
      const digit = header.charAt(at)
      if (!/[0-9a-f]/.test(digit) || header.slice(at, at + 3) === '1=' || header.startsWith('v1=', at - 1)) continue
      const changed = header.slice(0, at) + (digit === '0' ? '1' : '0') + header.slice(at + 1)
      expect(received(changed).ok).toBe(false)
    }
  })

  test.each([
    [-301, false],
    [-300, true],
    [300, true],
    [301, false],
  ])('takes a timestamp %i seconds from now: %j', (seconds, ok) => {
    expect(received(sign([SECRET], NOW + seconds, '{}')).ok).toBe(ok)
  })

  test('takes no secret for no match', () => {
    expect(received(sign([SECRET], NOW, '{}'), '{}', [])).toEqual({ ok: false, reason: 'mismatch' })
  })

  test.each([
    '',
    't=1',
    `v1=${'a'.repeat(64)}`,
    `t=,v1=${'a'.repeat(64)}`,
    `t=1e9,v1=${'a'.repeat(64)}`,
    `t=-1,v1=${'a'.repeat(64)}`,
    `t=${NOW},t=${NOW},v1=${'a'.repeat(64)}`,
    `t=${NOW},v1=${'a'.repeat(63)}`,
    `t=${NOW},v1=${'g'.repeat(64)}`,
    `t=${NOW},v0=${'a'.repeat(64)}`,
    `t=${NOW}${`,v1=${'a'.repeat(64)}`.repeat(11)}`,
    `t=${NOW},v1=${'a'.repeat(64)},${'x'.repeat(5000)}`,
  ])('takes %.40s for malformed', (header) => {
    expect(received(header)).toEqual({ ok: false, reason: 'malformed' })
  })

  test('looks past what it does not know', () => {
    const header = sign([SECRET], NOW, '{}').replace(',', ', v0=zz, x ,, ')
    expect(received(header)).toEqual({ ok: true })
  })
})

describe('a new secret', () => {
  test('is 64 hex digits of the random bytes that it is given', () => {
    expect(newSigningSecret((size) => new Uint8Array(size).fill(0xab))).toBe('ab'.repeat(32))
  })

  test('is another one each time', () => {
    const secrets = Array.from({ length: 100 }, () => newSigningSecret())
    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/)
  })
})
