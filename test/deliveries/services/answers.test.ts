import { describe, expect, test } from 'vitest'
import type { ServiceName } from '../../../schema/monitor/delivery-services.ts'
import { reply } from '../../support/worker/receiver.ts'
import { OPTIONS, sent } from './sending.ts'

const REFUSED = { kind: 'answered', verdict: 'client_error' }
const AGAIN = { kind: 'answered', verdict: 'server_error' }

describe('The answer', () => {
  test.each<[ServiceName, number, string, object]>([
    ['telegram', 200, '{"ok":true}', { status: 200 }],
    ['telegram', 200, '{"ok":false,"error_code":400}', REFUSED],
    ['telegram', 200, '{"ok":false,"error_code":500}', AGAIN],
    ['rocket_chat', 200, '{"success":false}', REFUSED],
    ['pushover', 200, '{"status":0}', REFUSED],
    ['pushover', 200, '{"status":1}', { status: 200 }],
    ['google_chat', 429, '{}', AGAIN],
    ['pagerduty', 429, '{}', AGAIN],
    ['ntfy', 429, '{}', AGAIN],
    ['teams', 429, '{}', AGAIN],
    ['apprise', 204, '', REFUSED],
    ['pagerduty', 202, '{"status":"success"}', { status: 202 }],
    ['teams', 202, '', { status: 202 }],
    ['teams', 200, 'delivery failed: endpoint returned HTTP error 413 with ContextId', REFUSED],
    ['teams', 200, 'delivery failed: endpoint returned HTTP error 429 with ContextId', AGAIN],
    ['telegram', 403, '{"ok":false}', { status: 403 }],
    ['ntfy', 500, 'not JSON', { status: 500 }],
    ['telegram', 200, '[1', { status: 200 }],
  ])('of %s with %i and %j is read as it is meant', async (service, status, body, outcome) => {
    const found = await sent(service, {}, reply(status, body))
    expect(found.outcome).toMatchObject(outcome)
    if (!('verdict' in outcome)) expect(found.outcome).not.toHaveProperty('verdict')
  })

  test('of Telegram that nests its parameters deep says nothing', async () => {
    const nested = `{"parameters":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
    expect((await sent('telegram', {}, reply(200, nested))).outcome).toMatchObject({ kind: 'answered', status: 200 })
  })

  test.each<[ServiceName, string, number]>([
    ['telegram', '{"ok":false,"error_code":429,"parameters":{"retry_after":2}}', 2_000],
    ['matrix', '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":1500}', 1_500],
  ])('of %s names the time to wait in its body, and the message is sent again then', async (service, body, ms) => {
    const waits: number[] = []
    const rest = async (waited: number) => {
      waits.push(waited)
      return true
    }
    const { outcome, requests } = await sent(service, { rest }, (socket, request, nth) =>
      reply(nth === 1 ? 429 : 200, nth === 1 ? body : '{}')(socket, request, nth),
    )
    expect(waits).toEqual([ms])
    expect(requests).toHaveLength(2)
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 })
  })

  test.each(['matrix', 'ntfy', 'gotify', 'pushover', 'pagerduty'] as const)(
    'of %s that repeats the request shows none of its secrets',
    async (service) => {
      const { outcome } = await sent(service, {}, (socket, request, nth) =>
        reply(400, JSON.stringify([...request.headers]) + request.body.toString())(socket, request, nth),
      )
      const secrets = Object.values(OPTIONS[service]).filter((value) => value.includes('secret'))
      for (const secret of secrets) expect(JSON.stringify(outcome)).not.toContain(secret)
      expect(JSON.stringify(outcome)).toContain('[hidden]')
    },
  )
})
