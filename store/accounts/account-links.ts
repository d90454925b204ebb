import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { nothing } from '../db/row.ts'
import { hashedIdentifier } from './session-token.ts'

/** Returns how the sign-in library names a token for a new password in its table. */
export const resetIdentifier = (token: string): string => hashedIdentifier(`reset-password:${token}`)

/** Only the last link for a new password works. */
export async function forgetOtherResetTokens(tx: Queryable, userId: string, token: string): Promise<void> {
  await tx.query(sql.type(nothing)`
    delete from auth.verifications where value = ${userId} and identifier <> ${resetIdentifier(token)}`)
}

/** Notes that the address of an account is its owner's. */
export async function confirmAddress(store: Queryable, userId: string): Promise<void> {
  await store.query(sql.type(nothing)`
    update auth.users set email_verified = true where id = ${userId}::uuid and not email_verified`)
}
