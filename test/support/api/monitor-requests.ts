import { expect } from 'vitest'
import type { Answer, Body, Client } from './served-api.ts'

/** The smallest body that creates a monitor. */
export const MONITOR = {
  name: 'Prices',
  url: 'https://example.com/prices',
  schedule_interval_seconds: 60,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
} as const

/** Creates a monitor and answers it. */
export async function createMonitor(client: Client, overrides: object = {}): Promise<Body> {
  const answer = await client.post('/v1/monitors', { ...MONITOR, ...overrides })
  expect(answer.body).not.toHaveProperty('error')
  expect(answer.status).toBe(201)
  return answer.body
}

/** Sends a body that must be refused; answers the paths that `details` names, in order. */
export async function faultsOf(client: Client, overrides: object): Promise<string[]> {
  return pathsOf(await client.post('/v1/monitors', { ...MONITOR, ...overrides }))
}

/** The paths that `details` of a 422 names, in order. */
export function pathsOf(answer: Answer): string[] {
  expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' })
  for (const { message } of answer.body.error.details) expect(message).not.toBe('')
  return answer.body.error.details.map(({ path }) => path).sort()
}
