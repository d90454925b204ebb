import { collectDefaultMetrics, Registry } from 'prom-client'
import { createLogger, type Logger } from '../../../core/logger.ts'
import type { EgressPolicy } from '../../../egress/policy.ts'
import { createSecretBox, type SecretBox } from '../../../store/secrets/secret-box.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { browsersOf } from '../parts/browsers.ts'
import { openDatabase } from '../parts/database.ts'
import { needsDatabaseUrl } from '../settings/needs-database-url.ts'
import { egressPolicy } from '../parts/egress.ts'
import { encryptionKey } from '../settings/encryption-key.ts'
import { readSettings, type Settings } from '../settings/read-config.ts'
import { createStack, type Stack } from './stack.ts'
import { untilSignal } from './until-signal.ts'

/** What every long-running command begins with. */
export interface ProcessWorld {
  readonly settings: Settings
  readonly log: Logger
  readonly stack: Stack
  /** Aborted when it is to stop, with the name of the signal. */
  readonly stopping: AbortSignal
  readonly registry: Registry
  readonly egress: EgressPolicy
  /** Shared by checks and previews; null: this process renders nothing. */
  readonly browsers: Browsers | null
  readonly encryptionKey: string
  readonly secrets: SecretBox
  readonly databaseUrl: string
  /** The folder of the embedded database; null: there is none. */
  readonly databaseFolder: string | null
}

/** A stop takes no longer than this: 30 seconds are what clusters give before they kill. */
const STOP_WITHIN_MS = 22_000

/** What runs until a signal comes. */
export interface LongRun {
  readonly command: string
  /** The command shares its database with others: the embedded one, which belongs to one process, is of no use to it. */
  readonly isPart?: boolean
  /** Starts it. */
  run(world: ProcessWorld): Promise<void>
}

/** Reads the settings, starts what `run` starts, waits for a signal, stops all in the opposite order. A failed start stops what it had started. */
export async function runProcess({ command, isPart = false, run }: LongRun): Promise<void> {
  const settings = readSettings(process.env)
  if (isPart) needsDatabaseUrl(settings, command)
  await untilStopped(settings, async (standing) => run(await openWorld(settings, standing)))
}

/** What a process stands on that runs for long. */
export interface Standing {
  readonly log: Logger
  readonly stack: Stack
  /** Aborted when it is to stop. */
  readonly stopping: AbortSignal
  /** Ends it: with code 0, or as the error says. A signal does the same. */
  end(why: string | Error): void
}

/** Starts what `start` starts, waits until it is to end, stops all in the opposite order. Rejects with the error that ended it. */
export async function untilStopped(settings: Settings, start: (standing: Standing) => Promise<void>): Promise<void> {
  const log = createLogger(settings.TIDEMARK_LOG_LEVEL)
  const stack = createStack(log)
  const stopping = new AbortController()
  const end = (why: string | Error) => stopping.abort(why)
  void untilSignal().then(end)
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  try {
    await start({ log, stack, stopping: stopping.signal, end })
    await stopped
    const why: unknown = stopping.signal.reason
    log.info({ why: why instanceof Error ? why.message : why }, 'draining')
  } finally {
    await stack.unwind(STOP_WITHIN_MS)
  }
  log.info('stopped')
  // All is closed and written. What still keeps the process alive is at fault, and nobody should have to kill it.
  setTimeout(() => process.exit(), 1_000).unref()
  if (stopping.signal.reason instanceof Error) throw stopping.signal.reason
}

async function openWorld(settings: Settings, { log, stack, stopping }: Standing): Promise<ProcessWorld> {
  const key = await encryptionKey(settings)
  const database = await openDatabase(settings, log)
  stack.defer('the database', () => database.stop())
  const egress = egressPolicy(settings)
  const browsers = browsersOf({ settings, egress, log })
  stack.defer('the browser', () => browsers?.close())
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tidemark_' })
  return {
    settings,
    log,
    stack,
    stopping,
    registry,
    egress,
    browsers,
    encryptionKey: key,
    secrets: createSecretBox(key),
    databaseUrl: database.url,
    databaseFolder: database.folder,
  }
}
