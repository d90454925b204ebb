import { expect, test } from 'vitest'
import { setPlan } from '../../../store/accounts/admin-accounts.ts'
import { fitLocks } from '../../../store/maintenance/fit-locks.ts'
import { MONITOR } from '../../support/api/monitor-requests.ts'
import { seedRun } from '../../support/api/seeded-runs.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const SEARCH = { name: 'S', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }

const served = shared(() => serveApi())

test('the end of a trial pauses monitors; settings and history stay, and a plan restarts them', async () => {
  const { api } = served
  const owner = await api.owner({ plan: 'free' })
  const call = (method: string, path: string, body?: unknown) => api.call(owner.session_token, method, path, body)
  const { id } = (await call('POST', '/v1/monitors', MONITOR)).body as unknown as { id: string }
  const paused = (await call('POST', '/v1/monitors', MONITOR)).body as unknown as { id: string }
  await call('POST', `/v1/monitors/${paused.id}/pause`)
  const run = await seedRun(api.services, id, { extracted: { price: '9' } })
  const search = (await call('POST', '/v1/serp-monitors', SEARCH)).body as unknown as { id: string }
  await api.sql(`update teams set trial_ends_at = clock() - interval '1 second' where id = '${owner.team_id}'`)
  // As a worker does once a second.
  await fitLocks(api.services.store)

  expect((await call('GET', `/v1/monitors/${id}`)).body).toMatchObject({ status: 'billing_paused', next_run_at: null })
  for (const verb of ['resume', 'pause', 'run'])
    expect(await call('POST', `/v1/monitors/${id}/${verb}`)).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN' } },
    })
  expect(await call('PATCH', `/v1/monitors/${id}`, { name: 'Renamed' })).toMatchObject({
    status: 200,
    body: { name: 'Renamed', status: 'billing_paused', next_run_at: null },
  })
  const made = await call('POST', '/v1/monitors', MONITOR)
  expect(made).toMatchObject({ status: 201, body: { status: 'billing_paused', next_run_at: null } })
  expect((await call('GET', '/v1/usage')).body).toMatchObject({
    monitorsLocked: 3,
    serpMonitorsLocked: 1,
    monitorsActive: 0,
    trialActive: false,
  })
  const seenSearch = async () => (await call('GET', `/v1/serp-monitors/${search.id}`)).body
  expect(await seenSearch()).toMatchObject({ ...SEARCH, status: 'billing_paused', next_run_at: null })
  const history = async () => (await call('GET', `/v1/monitors/${id}/runs`)).body['data']
  expect(await history()).toMatchObject([{ id: run, extracted: { price: '9' } }])

  await setPlan(api.services.store, owner.email, 'lite', true)
  expect(await seenSearch()).toMatchObject({ ...SEARCH, status: 'active', next_run_at: expect.any(String) })
  expect(await history()).toHaveLength(1)
  const { body } = await call('GET', `/v1/monitors/${id}`)
  expect(body).toMatchObject({ status: 'active', name: 'Renamed' })
  expect(Math.abs(Date.parse(body['next_run_at'] as unknown as string) - Date.now())).toBeLessThan(10_000)
  expect((await call('GET', `/v1/monitors/${paused.id}`)).body).toMatchObject({ status: 'paused', next_run_at: null })
  expect((await call('GET', '/v1/usage')).body).toMatchObject({ monitorsLocked: 0, trialEndsAt: null, tier: 'lite' })
})
