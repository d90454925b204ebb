import { describe, expect, test } from 'vitest'
import { API_VERSION } from '../../../schema/run/delivery.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

describe('versioning', () => {
  test('the API version is 2026-05-01, and every answer carries it', async () => {
    expect(API_VERSION).toBe('2026-05-01')
    for (const path of ['/v1/monitors', '/v1/nowhere', '/v1/monitors?page=0', '/api/openapi.json'])
      expect([path, (await served.me.get(path)).headers.get('service-version')]).toEqual([path, '2026-05-01'])
  })

  test('all paths are under /v1', async () => {
    const { body } = await served.as(null).get('/api/openapi.json')
    for (const path of Object.keys(body.paths)) expect(path).toMatch(/^\/(v1|api|auth)\//)
  })

  test('the document is served to everybody, as OpenAPI 3.1', async () => {
    const { status, body, headers } = await served.as(null).get('/api/openapi.json')
    expect([status, body['openapi'], headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^3\.1\./),
      expect.stringContaining('application/json'),
    ])
  })
})
