import { homedir } from 'node:os'
import { withTimeout } from '../../concurrency/loops/retry.ts'
import { DOCTOR_CHECKS, type DoctorCheckName, type DoctorFinding, type DoctorReport } from '../../schema/doctor.ts'
import { type Environment, readableSettings } from '../settings/read-config.ts'
import { browserCheck, fontsCheck } from './browser-checks.ts'
import { clockCheck, migrationsCheck, postgresCheck } from './database-checks.ts'
import { diskCheck } from './disk-check.ts'
import { dnsCheck } from './dns-check.ts'
import type { DoctorCheck, DoctorContext } from './doctor-check.ts'
import { egressCheck } from './egress-check.ts'
import { failed, notSetUp } from './finding.ts'
import { hideSecrets } from './hide-secrets.ts'
import { lookAtOwnBrowser } from './look-at-own-browser.ts'
import { lookAtOwnDatabase } from './look-at-own-database.ts'
import { mailCheck } from './mail-check.ts'
import { modelCheck } from './model-check.ts'
import { nodeCheck } from './node-check.ts'
import { portsCheck } from './ports-check.ts'
import { settingsCheck } from './settings-check.ts'

const CHECKS: Readonly<Record<DoctorCheckName, DoctorCheck>> = {
  settings: settingsCheck,
  node: nodeCheck,
  postgres: postgresCheck,
  migrations: migrationsCheck,
  clock: clockCheck,
  browser: browserCheck,
  fonts: fontsCheck,
  disk: diskCheck,
  ports: portsCheck,
  dns: dnsCheck,
  egress: egressCheck,
  mail: mailCheck,
  model: modelCheck,
}
const NAMES = Object.keys(DOCTOR_CHECKS) as readonly DoctorCheckName[]

interface DoctorOptions {
  readonly environment: Environment
  /** The version of Tidemark. */
  readonly version: string
  /** The version of Node that it needs at least. */
  readonly neededNode: number
  /** For tests: some checks are others. */
  readonly checks?: Partial<typeof CHECKS>
}

/**
 * Looks at what this installation needs, all of it side by side. Changes nothing and connects only to what the settings
 * name. A check that fails, or takes too long, is a finding like any other. The report has no value of a secret
 * setting.
 */
export async function runDoctor({ environment, version, neededNode, checks }: DoctorOptions): Promise<DoctorReport> {
  const { settings, issues, set, environment: read } = readableSettings(environment)
  const context: DoctorContext = {
    environment: read,
    settings,
    issues,
    set,
    neededNode,
    database: once(() => lookAtOwnDatabase(settings)),
    browser: once(() => lookAtOwnBrowser(settings)),
  }
  const hidden = hideSecrets(read, homedir())
  const wrong = new Set(issues.map(({ path }) => path.replace(/_FILE$/, '')))
  const all = { ...CHECKS, ...checks }
  const found = await Promise.all(
    NAMES.map(async (name) => {
      const startedAt = performance.now()
      const { status, what, advice } = await finding(all[name], context, wrong)
      const ms = Math.round(performance.now() - startedAt)
      return { name, status, what: line(hidden(what)), advice: advice && line(hidden(advice)), ms }
    }),
  )
  const count = (status: DoctorFinding['status']) => found.filter((one) => one.status === status).length
  return {
    version,
    node: process.versions.node,
    system: `${process.platform}-${process.arch}`,
    failed: count('failed'),
    warnings: count('warning'),
    settings: [...set],
    checks: found,
  }
}

const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let done: Promise<T> | undefined
  return () => (done ??= work())
}

/** Returns what a check found. Never rejects, and takes no longer than its limit. */
async function finding(check: DoctorCheck, context: DoctorContext, wrong: ReadonlySet<string>): Promise<DoctorFinding> {
  const unread = check.reads.filter((name) => wrong.has(name))
  if (unread.length > 0)
    return notSetUp(
      `Not looked at: ${unread.join(' and ')} ${unread.length === 1 ? 'is' : 'are'} not valid.`,
      'Correct the settings first.',
    )
  try {
    return await withTimeout(
      Promise.resolve().then(() => check.look(context)),
      check.limitMs,
      () => failed(`There was no answer within ${check.limitMs / 1_000} s.`, 'See whether it hangs, and try again.'),
    )
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return failed(`The check ended with an error: ${message}`, 'Report it, with this text.')
  }
}

const LONGEST = 4_000

/** Returns a text on one line. */
function line(text: string): string {
  const one = text.replaceAll(/\s*\n\s*/g, ' ').trim()
  return one.length > LONGEST ? `${one.slice(0, LONGEST - 1).toWellFormed()}…` : one || '-'
}
