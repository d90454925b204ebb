import { SIGNATURE_TOLERANCE_SECONDS } from '../../core/signature.ts'
import type { DoctorFinding } from '../../schema/doctor.ts'
import { StoreIsNewerError } from '../../store/db/migrate.ts'
import type { DatabaseFound, DoctorCheck } from './doctor-check.ts'
import { failed, failedAs, notSetUp, ok, warning } from './finding.ts'

/** Above the time that a connection is waited for, so that its own words come first. */
const LIMIT_MS = 12_000
const READS = ['DATABASE_URL', 'TIDEMARK_DATA_DIR'] as const
const OLDEST_POSTGRES = 15

export const postgresCheck: DoctorCheck = {
  limitMs: LIMIT_MS,
  reads: READS,
  look: async ({ database }) => postgresFinding(await database()),
}

/** Returns what is said of a database. */
function postgresFinding(found: DatabaseFound): DoctorFinding {
  switch (found.kind) {
    case 'unusable':
      return failedAs(found.message, 'Set DATABASE_URL to a Postgres (15 or later) of your own.')
    case 'none':
      return notSetUp('A runner (TIDEMARK_RUNNER_API_URL) has no database.')
    case 'at_rest':
      return ok(
        found.exists
          ? `Postgres ${found.version} is embedded. It has a database in the data folder, and no server runs on it.`
          : `Postgres ${found.version} is embedded. It has no database yet: the first start makes one.`,
      )
    case 'looked': {
      const { version, major } = found.look
      const what = `Postgres ${version} answers${found.isEmbedded ? ', the embedded one of a Tidemark that runs' : ''}.`
      if (major >= OLDEST_POSTGRES) return ok(what)
      return failed(what, `Use Postgres ${OLDEST_POSTGRES} or later.`)
    }
  }
}

export const migrationsCheck: DoctorCheck = {
  limitMs: LIMIT_MS,
  reads: READS,
  async look({ database }) {
    const found = await database()
    if (found.kind !== 'looked') return notSeen(found)
    const { missing, others } = found.look.migrations
    if (others instanceof StoreIsNewerError)
      return warning('A newer version has migrated the database.', 'This version works with it; prefer the newer one.')
    if (others !== null) return failedAs(others.message, 'Use a new database.', /: (?=start)/)
    if (missing.length === 0) return ok('The database has the schema of this version.')
    return warning(
      `${missing.length} ${missing.length === 1 ? 'migration is' : 'migrations are'} missing, from ${missing[0]} on.`,
      'Run ./tidemark migrate before api, worker and operator. ./tidemark serve does it at its start.',
    )
  },
}

/** What is said where no database was asked. */
function notSeen(found: Exclude<DatabaseFound, { kind: 'looked' }>): DoctorFinding {
  if (found.kind === 'none') return notSetUp('A runner has no database.')
  if (found.kind === 'unusable') return notSetUp('Not known: no database answers.')
  return notSetUp('Not known: no server runs on the embedded database.')
}

const WARNS_MS = 5_000

export const clockCheck: DoctorCheck = {
  limitMs: LIMIT_MS,
  reads: READS,
  async look({ database }) {
    const found = await database()
    if (found.kind !== 'looked') return notSeen(found)
    const { aheadMs, withinMs, movedSeconds } = found.look
    const distance = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s`
    const what = `The clock of Postgres is ${distance} ${aheadMs < 0 ? 'behind' : 'ahead of'} that of this machine.`
    const sure = Math.abs(aheadMs) - withinMs
    const advice = 'Set both by a time server (NTP).'
    if (sure >= SIGNATURE_TOLERANCE_SECONDS * 1_000)
      return failed(what, `${advice} Receivers refuse webhooks that were signed by such a clock.`)
    if (sure >= WARNS_MS) return warning(what, advice)
    if (movedSeconds !== 0)
      return warning(
        `${what} The time of checks is moved by ${movedSeconds} s.`,
        'Reset tidemark.clock_offset of the database: it is for tests.',
      )
    return ok(sure <= 0 ? 'The clocks of this machine and of Postgres agree.' : what)
  },
}
