import { ExplainedError } from '../../core/explained-error.ts'
import { existingDatabase } from '../../platform/postgres/embedded-home.ts'
import { embeddedBinaries } from '../../platform/postgres/postgres-binaries.ts'
import { runningPostgres } from '../../platform/postgres/running-postgres.ts'
import { lookAtDatabase } from '../../store/db/look-at-database.ts'
import { causes } from '../../store/db/store-fault.ts'
import type { Settings } from '../settings/read-config.ts'
import type { DatabaseFound } from './doctor-check.ts'

/** A server that starts at this moment is waited for this long. */
const PATIENCE_MS = 1_000

/** Asks the database of the settings, or the embedded one where a server runs on it. None is made and none started. */
export async function lookAtOwnDatabase(settings: Settings): Promise<DatabaseFound> {
  const { DATABASE_URL: url, TIDEMARK_DATA_DIR: dataDir, TIDEMARK_RUNNER_API_URL: workers } = settings
  if (url === undefined && workers !== undefined) return { kind: 'none' }
  try {
    if (url !== undefined) return { kind: 'looked', isEmbedded: false, look: await lookAtDatabase(url) }
    return await lookAtEmbedded(dataDir)
  } catch (error) {
    if (error instanceof ExplainedError) return { kind: 'unusable', message: error.message }
    throw error
  }
}

async function lookAtEmbedded(dataDir: string): Promise<DatabaseFound> {
  const programs = await embeddedBinaries()
  const version = /^postgres-(\d+(?:\.\d+)?)/.exec(programs.version)?.[1] ?? String(programs.major)
  const exists = (await existingDatabase(dataDir)) !== null
  const running = exists ? await runningPostgres(dataDir, PATIENCE_MS) : null
  const atRest = { kind: 'at_rest', version, exists } as const
  if (running === null) return atRest
  try {
    return { kind: 'looked', isEmbedded: true, look: await lookAtDatabase(running.url) }
  } catch (error) {
    // A server that was killed leaves its file behind.
    if (causes(error).some((one) => 'code' in one && GONE.has(String(one.code)))) return atRest
    throw error
  }
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED'])
