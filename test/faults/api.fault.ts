import { expect, onTestFinished, test } from 'vitest'
import { openTcpProxy } from '../support/network/tcp-proxy.ts'
import { openApi, unexpected } from './api-process.ts'
import { freshService } from './fault-test.ts'

test('an API with one connection left answers or sheds with 503 and Retry-After; no 500, no hanging', async () => {
  const service = await freshService({ monitors: 1 })
  await service.query(`create role api_left login password 'throwaway' in role current_user`)
  const address = new URL(service.url)
  address.username = 'api_left'
  address.password = 'throwaway'
  await using api = await openApi({ adminUrl: service.url, url: address.href })
  onTestFinished(async () => {
    await api[Symbol.asyncDispose]()
    await service.query('drop role api_left')
  })
  await service.query('alter role api_left connection limit 1')
  await service.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'api_left'`)
  const answers = await Promise.all(Array.from({ length: 60 }, () => api.call('GET', '/v1/monitors')))
  expect(unexpected(answers, 200)).toEqual([])
  expect(answers.some(({ status }) => status === 200)).toBe(true)
})

const monitorOf = (name: string) => ({
  name,
  url: 'http://127.0.0.1:9/',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { version: '.version' } },
  diff_predicate: { type: 'any_field_changes' },
})

test.each(['half_sent', 'unanswered'] as const)(
  'a connection of the API that is reset at COMMIT, %s: a 503, and what was asked for is wholly there or not at all',
  async (at) => {
    const service = await freshService({ monitors: 1 })
    await using proxy = await openTcpProxy(service.url)
    await using api = await openApi({ adminUrl: service.url, url: proxy.url })
    proxy.resetAt('COMMIT', at, 3)
    const names = Array.from({ length: 24 }, (_, n) => `Monitor ${n}`)
    const answers = await Promise.all(names.map((name) => api.call('POST', '/v1/monitors', monitorOf(name))))
    proxy.resetAt(null)
    expect(unexpected(answers, 201)).toEqual([])
    const isShed = answers.map(({ status }) => status === 503)
    expect(isShed.filter(Boolean).length).toBe(proxy.resets)
    expect(proxy.resets).toBe(8)
    const rows = await service.query<{ name: string; checks: number; audits: number }>(
      `select m.name, (select count(*)::int from checks c where c.no = m.no) as checks,
         (select count(*)::int from audit_events a where a.target_id = m.id::text) as audits
       from monitors m where m.name like 'Monitor %'`,
    )
    const there = names.filter((_, n) => !isShed[n] || at === 'unanswered')
    expect(rows.map(({ name }) => name).sort()).toEqual(there.sort())
    expect(rows.filter(({ checks, audits }) => checks !== 1 || audits !== 1)).toEqual([])
  },
)
