import { expect, test } from 'vitest'
import { nextLayer } from '../../../runners/check/next-layer.ts'
import { RUN_FAULTS, type RunFaultCode } from '../../../schema/run-fault.ts'

const blocked = { code: 'blocked', status: 403 } as const
const all = { isDirect: false, hasBrowser: true, hasProxy: true }

test('A refusal goes from static to browser to proxy, past what is not there.', () => {
  expect(nextLayer({ layer: 'static', ...blocked }, all)).toBe('browser')
  expect(nextLayer({ layer: 'browser', ...blocked }, all)).toBe('proxy')
  expect(nextLayer({ layer: 'proxy', ...blocked }, all)).toBeNull()
  expect(nextLayer({ layer: 'static', ...blocked }, { ...all, hasBrowser: false })).toBe('proxy')
  expect(nextLayer({ layer: 'browser', ...blocked }, { ...all, hasProxy: false })).toBeNull()
  expect(nextLayer({ layer: 'static', ...blocked }, { ...all, hasBrowser: false, hasProxy: false })).toBeNull()
})

test.each([403, 429, 503, 200])('Status %s with a refusal is a refusal.', (status) => {
  expect(nextLayer({ layer: 'browser', code: 'blocked', status }, all)).toBe('proxy')
})

test('Credentials that are missing are found by no layer.', () => {
  expect(nextLayer({ layer: 'static', code: 'blocked', status: 401 }, all)).toBeNull()
})

test('Any other failure is what it is.', () => {
  for (const code of Object.keys(RUN_FAULTS) as RunFaultCode[])
    if (code !== 'blocked') expect(nextLayer({ layer: 'static', code, status: null }, all), code).toBeNull()
})

test('A request_config is fetched directly or not at all.', () => {
  for (const layer of ['static', 'browser', 'proxy'] as const)
    expect(nextLayer({ layer, ...blocked }, { ...all, isDirect: true })).toBeNull()
})
