import { createOwner, type CreatedOwner, hashPassword } from '../../../store/accounts/accounts.ts'
import type { Store } from '../../../store/db/client.ts'

const PASSWORD = 'the password of every test'
let hash: Promise<string> | undefined

/** Creates an account as `createOwner`. All have one password, so that a process hashes it once. */
export async function createTestOwner(
  store: Store,
  wanted: Omit<Parameters<typeof createOwner>[1], 'password'>,
): Promise<CreatedOwner> {
  const made = await createOwner(store, { ...wanted, password: PASSWORD }, (text) => (hash ??= hashPassword(text)))
  if (!made.ok) throw new Error(made.reason)
  return made.owner
}
