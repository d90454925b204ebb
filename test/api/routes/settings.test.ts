import pg from 'pg'
import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { row } from '../../../store/db/row.ts'
import { createTestApi } from '../../support/api/test-api.ts'
import { shared } from '../../support/run/shared.ts'

const api = shared(() => createTestApi())

const read = async (credential: string) => (await api.call(credential, 'GET', '/v1/settings')).body
const patch = (credential: string, body?: unknown) => api.call(credential, 'PATCH', '/v1/settings', body)
const event = row({
  action: Type.String(),
  actor_label: Type.String(),
  target: Type.String(),
  metadata: Type.Unknown(),
})
const WAITING = `
  select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const audit = ({ team_id }: CreatedOwner) =>
  api.services.store.any(sql.type(event)`
    select action, actor_label, target_type as target, metadata from audit_events
    where team_id = ${team_id} and action like 'settings.%' order by created_at, action desc`)

describe('settings', () => {
  test('begin with the proxy off and notifications on', async () => {
    const owner = await api.owner()
    expect(await read(owner.session_token)).toEqual({ proxy_enabled: false, error_notifications: true })
  })

  test('are read by every role and by a read key', async () => {
    const owner = await api.owner()
    const viewer = await api.member(owner, 'viewer')
    const key = await api.key(owner, 'read')
    for (const credential of [viewer, key]) expect((await api.call(credential, 'GET', '/v1/settings')).status).toBe(200)
  })

  test('are changed key by key; what is absent stays', async () => {
    const { session_token: token } = await api.owner()
    expect(await patch(token, { proxy_enabled: true })).toMatchObject({
      status: 200,
      body: { proxy_enabled: true, error_notifications: true },
    })
    await patch(token, { error_notifications: false })
    expect(await read(token)).toEqual({ proxy_enabled: true, error_notifications: false })
  })

  test('are changed by an admin, never by a member or an API key', async () => {
    const owner = await api.owner()
    const change = { proxy_enabled: true }
    expect((await patch(await api.member(owner, 'admin'), change)).status).toBe(200)
    for (const credential of [
      await api.member(owner, 'member'),
      await api.member(owner, 'viewer'),
      await api.key(owner, 'read', 'write'),
    ])
      expect(await patch(credential, { proxy_enabled: false })).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN' } },
      })
    expect(await read(owner.session_token)).toMatchObject({ proxy_enabled: true })
  })

  test('are those of one team alone', async () => {
    const [one, other] = [await api.owner(), await api.owner()]
    await patch(one.session_token, { proxy_enabled: true })
    expect(await read(other.session_token)).toMatchObject({ proxy_enabled: false })
  })

  test.each([
    ['proxy_enabled', { proxy_enabled: 'yes' }],
    ['proxy_enabled', { proxy_enabled: null }],
    ['error_notifications', { error_notifications: 1 }],
    ['proxy', { proxy: true }],
  ])('a body whose %s is wrong is refused with its path, and nothing changes', async (path, body) => {
    const { session_token: token } = await api.owner()
    expect(await patch(token, body)).toMatchObject({ status: 422, body: { error: { details: [{ path }] } } })
    expect(await read(token)).toEqual({ proxy_enabled: false, error_notifications: true })
  })

  test('each change is audited with what it is now, once; a change to the same value is none', async () => {
    const owner = await api.owner()
    const { session_token: token, email } = owner
    await patch(token, { proxy_enabled: true })
    await patch(token, { proxy_enabled: true })
    await patch(token, {})
    await patch(token)
    await patch(token, { proxy_enabled: false, error_notifications: false })
    const by = { actor_label: email, target: 'settings' }
    expect(await audit(owner)).toEqual([
      { ...by, action: 'settings.proxy_toggled', metadata: { proxy_enabled: true } },
      { ...by, action: 'settings.proxy_toggled', metadata: { proxy_enabled: false } },
      { ...by, action: 'settings.error_notifications_toggled', metadata: { error_notifications: false } },
    ])
  })

  test('changed by two at once are audited as they came to be', async () => {
    const owner = await api.owner()
    const pool = new pg.Pool({ connectionString: api.databaseUrl })
    const holder = await pool.connect()
    await holder.query(`begin; select from teams where id = '${owner.team_id}' for share`)
    const changes = [true, true].map((proxy_enabled) => patch(owner.session_token, { proxy_enabled }))
    await expect.poll(async () => (await pool.query(WAITING)).rows, { interval: 10 }).toEqual([{ waiting: 2 }])
    await holder.query('rollback')
    holder.release()
    await pool.end()
    expect(await Promise.all(changes)).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(await audit(owner)).toHaveLength(1)
  })
})
