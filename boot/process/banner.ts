import { realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { quoted } from '../../core/quoted.ts'
import { DATA_DIR } from '../../schema/config/server-settings.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'

interface RunningOut {
  readonly team: string
  readonly used_up_at: string
  readonly resets_at: string
}

/** Returns the text that a start prints for a person. The owner's secrets are shown only here, once. */
export function banner({
  address,
  hasDashboard,
  owner,
  mail,
  runningOut,
  databaseFolder,
  dataDir,
}: {
  address: string
  /** It is served at `/`. */
  hasDashboard: boolean
  owner: CreatedOwner | null
  /** What mail to the owner needs: an address of theirs, and a server that takes it. */
  mail: { readonly hasAddress: boolean; readonly hasServer: boolean }
  /** Teams whose runs will not last. */
  runningOut: readonly RunningOut[]
  databaseFolder: string | null
  dataDir: string
}): string {
  const lines = ['', `Tidemark is running at ${address}`]
  if (hasDashboard) lines.push(`  Dashboard         ${address}/`)
  lines.push(`  Documentation     ${address}/docs`, `  API description   ${address}/api/openapi.json`)
  if (databaseFolder !== null) lines.push(...dataLines(dataDir, databaseFolder))
  lines.push(...runningOut.map(runsLine))
  if (owner)
    lines.push(
      '',
      'The first owner was created. This is shown once:',
      `  E-mail            ${owner.email}`,
      `  Password          ${owner.password}`,
      `  API key           ${owner.api_key}`,
    )
  if (owner && !(mail.hasAddress && mail.hasServer))
    lines.push(
      '',
      'No mail reaches that address. To get notices about monitors:',
      ...(mail.hasAddress ? [] : [`  ${setEmail(owner.email, databaseFolder === null ? null : dataDir)}`]),
      ...(mail.hasServer ? [] : ['  Set SMTP_URL and SMTP_FROM, and start again.']),
    )
  return `${lines.join('\n')}\n\n`
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const dayOf = (instant: string) => DAY.format(Date.parse(instant))

const runsLine = ({ team, used_up_at: at, resets_at: until }: RunningOut) =>
  `  Runs              used up on ${dayOf(at)} at the present pace, renewed on ${dayOf(until)} (${team})`

/**
 * Returns the command that changes the address of the first owner. `dataDir`: the folder of the embedded database;
 * null: there is none. Without the setting, the command would look in the default folder.
 */
export function setEmail(from: string, dataDir: string | null): string {
  const isDefault = dataDir === null || dataDir === DATA_DIR
  const setting = isDefault ? '' : `TIDEMARK_DATA_DIR=${quoted(dataDir)} `
  return `${setting}./tidemark admin set-email --email ${from} --to you@example.com`
}

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
