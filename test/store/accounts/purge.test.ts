import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { purgeLinks } from '../../../store/accounts/account-links.ts'
import { createOwner } from '../../../store/accounts/accounts.ts'
import { purgeInvitationMails } from '../../../store/accounts/team/invitation-mails.ts'
import { purgeInvitations } from '../../../store/accounts/team/invitations.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'

test('invitations and tokens that ended long ago are deleted, and no others', async () => {
  await using database = await openQueueDatabase()
  const wanted = { email: 'a@example.com', plan: 'pro', serp: false, sessionKey: 'key' } as const
  const made = await createOwner(database.store, wanted)
  if (!made.ok) throw new Error(made.reason)
  const { team_id, user_id } = made.owner
  for (const age of ['-7 days', '29 days', '31 days'])
    await database.query(
      `insert into invitations (team_id, email, role, invited_by, invited_by_email, token_hash, expires_at, ended_as)
       values ($1, $2::text, 'member', $3, 'a@example.com', $4, clock() - $2::text::interval, null)`,
      [team_id, age, user_id, Buffer.from(randomUUID())],
    )
  for (const age of ['23 hours', '25 hours'])
    await database.query(
      'insert into invitation_mails (team_id, is_free, sent_at) values ($1, $2, clock() - $3::interval)',
      [team_id, age === '23 hours', age],
    )
  for (const age of ['-1 hour', '23 hours', '25 hours'])
    await database.query(
      `insert into auth.verifications (identifier, value, expires_at)
       values ($1::text, $2, now() - $1::text::interval)`,
      [age, user_id],
    )
  expect(await purgeInvitations(database.store)).toBe(1)
  expect(await purgeInvitationMails(database.store)).toBe(1)
  expect(await database.query('select is_free from invitation_mails')).toEqual([{ is_free: true }])
  expect(await purgeLinks(database.store)).toBe(1)
  expect(await database.query('select email from invitations order by expires_at desc')).toEqual([
    { email: '-7 days' },
    { email: '29 days' },
  ])
  expect(await database.query('select identifier from auth.verifications order by expires_at desc')).toEqual([
    { identifier: '-1 hour' },
    { identifier: '23 hours' },
  ])
})
