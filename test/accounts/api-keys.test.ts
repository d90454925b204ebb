import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey, deleteApiKey, rotateApiKey } from '../../accounts/api-keys.ts'
import { createInstallation, type Person, type Installation } from '../support/database/installation.ts'

let installation: Installation
beforeAll(async () => {
  installation = await createInstallation()
})
afterAll(() => installation.close())

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
})
