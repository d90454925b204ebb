import { readFile } from 'node:fs/promises'

/** An account without files or permissions. Programs that must not run as root run as this account. */
export interface UnprivilegedUser {
  uid: number
  gid: number
}

/**
 * Returns the account to run a program as. Returns null when this process is not root: then the program runs as the
 * same account.
 *
 * The first of `names` that exists in /etc/passwd is used. Postgres prefers `postgres` where it exists, so that a
 * browser, which runs as `nobody`, does not share an account with the database's files.
 */
export async function unprivilegedUser(names: readonly string[]): Promise<UnprivilegedUser | null> {
  if (process.geteuid?.() !== 0) return null
  const passwd = await readFile('/etc/passwd', 'utf8')
  const accounts = passwd.split('\n').map((line) => line.split(':'))
  for (const name of names) {
    const account = accounts.find((fields) => fields[0] === name)
    const uid = Number(account?.[2] ?? Number.NaN)
    const gid = Number(account?.[3] ?? Number.NaN)
    // An account that maps to root would defeat the purpose.
    if (Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0) return { uid, gid }
  }
  throw new Error(`running as root needs one of the accounts ${names.join(', ')} in /etc/passwd`)
}
