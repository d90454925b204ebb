import { collectDefaultMetrics, Registry } from 'prom-client'
import { createLogger, type Logger } from '../core/logger.ts'
import type { EgressPolicy } from '../runners/guard/policy.ts'
import { createSecretBox, type SecretBox } from '../store/secret-box.ts'
import { openDatabase } from './database.ts'
import { egressPolicy } from './egress.ts'
import { encryptionKey } from './encryption-key.ts'
import { readSettings, type Settings } from './read-config.ts'
import { createStack, type Stack } from './stack.ts'
import { untilSignal } from './until-signal.ts'

/** What every long-running command begins with. */
export interface ProcessWorld {
  readonly settings: Settings
  readonly log: Logger
  readonly stack: Stack
  readonly registry: Registry
  readonly egress: EgressPolicy
  readonly encryptionKey: string
  readonly secrets: SecretBox
  readonly databaseUrl: string
  readonly isEmbedded: boolean
}

/** Reads the settings, starts what `run` starts, waits for a signal, stops all in the opposite order. A failed start stops what it had started. */
export async function runProcess(run: (world: ProcessWorld) => Promise<void>): Promise<void> {
  const settings = readSettings(process.env)
  const log = createLogger(settings.TIDEMARK_LOG_LEVEL)
  const stack = createStack(log)
  const stopped = untilSignal()
  try {
    await run(await openWorld(settings, log, stack))
    const signal = await stopped
    log.info({ signal }, 'draining')
  } finally {
    await stack.unwind()
  }
  log.info('stopped')
}

async function openWorld(settings: Settings, log: Logger, stack: Stack): Promise<ProcessWorld> {
  const key = await encryptionKey(settings)
  const database = await openDatabase(settings, log)
  stack.defer('the database', () => database.stop())
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tidemark_' })
  return {
    settings,
    log,
    stack,
    registry,
    egress: egressPolicy(settings),
    encryptionKey: key,
    secrets: createSecretBox(key),
    databaseUrl: database.url,
    isEmbedded: database.isEmbedded,
  }
}
