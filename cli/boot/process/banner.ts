import { realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'

/** Returns the text that a start prints for a person. The owner's secrets are shown only here, once. */
export function banner({
  address,
  owner,
  isReachable,
  databaseFolder,
  dataDir,
}: {
  address: string
  owner: CreatedOwner | null
  /** Mail can reach the owner's address. */
  isReachable: boolean
  databaseFolder: string | null
  dataDir: string
}): string {
  const lines = ['', `Tidemark is running at ${address}`, `  API description   ${address}/api/openapi.json`]
  if (databaseFolder !== null) lines.push(...dataLines(dataDir, databaseFolder))
  if (owner)
    lines.push(
      '',
      'The first owner was created. This is shown once:',
      `  E-mail            ${owner.email}`,
      `  Password          ${owner.password}`,
      `  API key           ${owner.api_key}`,
    )
  if (owner && !isReachable)
    lines.push('', 'No mail reaches that address. To get notices about monitors:', `  ${setEmail(owner.email)}`)
  return `${lines.join('\n')}\n\n`
}

const setEmail = (from: string) => `npx tidemark admin set-email --email ${from} --to you@example.com`

/**
 * Returns the lines about the data directory. When started by root, Postgres runs as another account that may not enter
 * that directory; the database is in another folder then.
 */
function dataLines(dataDir: string, databaseFolder: string): string[] {
  const root = resolve(dataDir)
  const isInside = [root, realpathSync(root)].some((folder) => databaseFolder.startsWith(folder + sep))
  if (isInside) return [`  Data              ${dataDir} (embedded Postgres)`]
  return [
    `  Data              ${dataDir} (keys and pictures)`,
    `  Database          ${databaseFolder} (embedded Postgres)`,
  ]
}
