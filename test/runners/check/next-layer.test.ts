import { expect, test } from 'vitest'
import { nextLayer } from '../../../runners/check/next-layer.ts'
import { RUN_FAULTS, type RunFaultCode } from '../../../schema/run/run-fault.ts'

const blocked = { code: 'blocked', status: 403, retryAfterMs: null } as const
const all = { isDirect: false, hasBrowser: true, hasProxy: true }

test('a refusal goes from static to browser to proxy, past what is not there', () => {
  expect(nextLayer({ layer: 'static', ...blocked }, all)).toBe('browser')
  expect(nextLayer({ layer: 'browser', ...blocked }, all)).toBe('proxy')
  expect(nextLayer({ layer: 'proxy', ...blocked }, all)).toBeNull()
  expect(nextLayer({ layer: 'static', ...blocked }, { ...all, hasBrowser: false })).toBe('proxy')
  expect(nextLayer({ layer: 'browser', ...blocked }, { ...all, hasProxy: false })).toBeNull()
  expect(nextLayer({ layer: 'static', ...blocked }, { ...all, hasBrowser: false, hasProxy: false })).toBeNull()
})

test.each([403, 429, 503, 200])('status %s with a refusal is a refusal', (status) => {
  expect(nextLayer({ layer: 'browser', code: 'blocked', status, retryAfterMs: 0 }, all)).toBe('proxy')
})

test('credentials that are missing are found by no layer', () => {
  expect(nextLayer({ layer: 'static', code: 'blocked', status: 401, retryAfterMs: null }, all)).toBeNull()
})

test('any other failure is what it is', () => {
  for (const code of Object.keys(RUN_FAULTS) as RunFaultCode[])
    if (code !== 'blocked')
      expect(nextLayer({ layer: 'static', code, status: null, retryAfterMs: null }, all), code).toBeNull()
})

test('a request_config is fetched directly or not at all', () => {
  for (const layer of ['static', 'browser', 'proxy'] as const)
    expect(nextLayer({ layer, ...blocked }, { ...all, isDirect: true })).toBeNull()
})

test('a site that names a time is asked again at that time, and not at once by other means', () => {
  expect(nextLayer({ layer: 'static', code: 'blocked', status: 429, retryAfterMs: 60_000 }, all)).toBeNull()
  expect(nextLayer({ layer: 'browser', code: 'blocked', status: 429, retryAfterMs: 1 }, all)).toBeNull()
})
