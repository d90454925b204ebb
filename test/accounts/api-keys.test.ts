import { describe, expect, test } from 'vitest'
import { createApiKey, deleteApiKey, rotateApiKey } from '../../accounts/api-keys.ts'
import { MAX_API_KEYS, MAX_API_KEYS_ROTATED } from '../../schema/account/api-key.ts'
import { createInstallation, type Person } from '../support/database/installation.ts'
import { shared } from '../support/run/shared.ts'

const installation = shared(createInstallation)

const create = (person: Person, expiresAt: string | null = null) =>
  createApiKey(installation.context, { ...person, name: 'Scripts', scopes: ['read'], expiresAt })
const issued = async (person: Person): Promise<string> => {
  const outcome = await create(person)
  if (outcome.kind !== 'done') throw new Error(outcome.kind)
  return outcome.issued.id
}
const rotate = (person: Person, id: string) => rotateApiKey(installation.context, { ...person, id, graceHours: 1 })

describe('an API key', () => {
  test('that would have expired already is not made', async () => {
    const person = await installation.person()
    expect(await create(person, '2020-01-01T00:00:00Z')).toEqual({
      kind: 'invalid',
      issues: [{ path: 'expires_at', message: 'must be in the future' }],
    })
    expect(await installation.audit(person)).toEqual([])
  })

  test('is replaced once; each step has its audit line', async () => {
    const person = await installation.person()
    const id = await issued(person)
    expect(await rotate(person, id)).toMatchObject({ kind: 'done', issued: { name: 'Scripts', scopes: ['read'] } })
    expect(await rotate(person, id)).toEqual({ kind: 'replaced' })
    expect(await installation.audit(person)).toMatchObject([
      { action: 'api_key.created', target_id: id },
      { action: 'api_key.rotated', target_id: id, metadata: { grace_period_hours: 1 } },
    ])
  })

  test('of another team can neither be replaced nor ended, and an ended one is gone', async () => {
    const person = await installation.person()
    const stranger = await installation.person()
    const id = await issued(person)
    const nothing = { kind: 'not_found', what: 'api_key' }
    expect(await rotate(stranger, id)).toEqual(nothing)
    expect(await deleteApiKey(installation.context, { ...stranger, id })).toEqual(nothing)
    expect(await deleteApiKey(installation.context, { ...person, id })).toEqual({ kind: 'done' })
    expect(await deleteApiKey(installation.context, { ...person, id })).toEqual(nothing)
    expect(await installation.audit(stranger)).toEqual([])
  })

  test('is refused to a team that has a thousand that work, until one is deleted or has expired', async () => {
    const person = await installation.person()
    const id = await issued(person)
    await fill(person, MAX_API_KEYS - 3)
    expect(await create(person)).toMatchObject({ kind: 'done' })
    const refused = { kind: 'many_keys', limit: MAX_API_KEYS }
    expect(await create(person)).toEqual(refused)
    expect(await create(await installation.person())).toMatchObject({ kind: 'done' })
    // Somebody whose key is known to others must be able to replace it.
    expect(await rotate(person, id)).toMatchObject({ kind: 'done' })
    expect(await deleteApiKey(installation.context, { ...person, id })).toEqual({ kind: 'done' })
    expect(await create(person)).toEqual(refused)
    await installation.sql(`update api_keys set expires_at = clock() where name = 'One of many'`)
    expect(await create(person)).toMatchObject({ kind: 'done' })
  })

  test('is not replaced any more where two thousand work', async () => {
    const person = await installation.person()
    const id = await issued(person)
    await fill(person, MAX_API_KEYS_ROTATED - 2)
    expect(await rotate(person, id)).toEqual({ kind: 'many_keys', limit: MAX_API_KEYS_ROTATED })
  })
})

/** Every account has a first key. */
const fill = ({ teamId, userId }: Person, count: number) =>
  installation.sql(`
    insert into api_keys (team_id, user_id, name, prefix, hash, scopes)
    select '${teamId}', '${userId}', 'One of many', 'svc_1234', sha256((n || '${teamId}')::bytea), '{read}'
    from generate_series(1, ${count}) n`)
