import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { hashedIdentifier } from './credentials/session-token.ts'

const claimed = row({ is_confirmed: Type.Boolean(), is_used: Type.Boolean() })

/** Returns how the sign-in library names a token for a new password in its table. */
export const resetIdentifier = (token: string): string => hashedIdentifier(`reset-password:${token}`)

/** Only the last link for a new password works. */
export async function forgetOtherResetTokens(tx: Queryable, userId: string, token: string): Promise<void> {
  await tx.query(sql.type(nothing)`
    delete from auth.verifications where value = ${userId} and identifier <> ${resetIdentifier(token)}`)
}

/** Ends all sessions of an account, and its open links for a new password. A link to confirm names the old address. */
export async function endAccess(tx: Transaction, userId: string): Promise<void> {
  await tx.query(sql.type(nothing)`delete from auth.sessions where user_id = ${userId}::uuid`)
  await tx.query(sql.type(nothing)`delete from auth.verifications where value = ${userId}`)
}

/**
 * Hands an account over to a person who has proven to own its address. If the address was never confirmed, somebody
 * else may have made the account: its password, sessions and links stop working. Returns false when such an account has
 * been used: its keys and monitors would be the other person's, and in an installation without mail it may be a
 * colleague's.
 */
export const claimAddress = (store: Store, userId: string): Promise<boolean> =>
  store.transaction(async (tx) => {
    const { is_confirmed, is_used } = await tx.one(sql.type(claimed)`
      select u.email_verified as is_confirmed,
        exists (select from team_members m where m.user_id = u.id and m.team_id is distinct from t.id)
          or exists (select from team_members m where m.team_id = t.id and m.user_id <> u.id)
          or exists (select from invitations i where i.team_id = t.id)
          or exists (select from api_keys k where k.team_id = t.id)
          or exists (select from monitors m where m.team_id = t.id) as is_used
      from auth.users u left join teams t on t.owner_user_id = u.id
      where u.id = ${userId}::uuid for update of u`)
    if (is_confirmed || is_used) return is_confirmed
    await tx.query(sql.type(nothing)`
      delete from auth.accounts where user_id = ${userId}::uuid and provider_id = 'credential'`)
    await endAccess(tx, userId)
    return true
  })

/** Notes that the address of an account is its owner's. */
export async function confirmAddress(store: Queryable, userId: string): Promise<void> {
  await store.query(sql.type(nothing)`
    update auth.users set email_verified = true where id = ${userId}::uuid and not email_verified`)
}

/** Deletes tokens that expired more than a day ago. Returns how many. Used by the maintenance. */
export async function purgeLinks(store: Queryable): Promise<number> {
  const { rowCount } = await store.query(sql.type(nothing)`
    delete from auth.verifications where id in (
      select id from auth.verifications where expires_at < now() - interval '1 day'
      limit 10000 for update skip locked
    )`)
  return rowCount
}
