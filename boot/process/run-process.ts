import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { Outage } from '../../concurrency/loops/outage.ts'
import { ExplainedError } from '../../core/explained-error.ts'
import type { Logger } from '../../core/logger.ts'
import type { Tracer } from '../../core/tracer.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { EmbeddedPostgresError } from '../../platform/postgres/embedded-postgres-error.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { databaseRules } from '../../schema/config/setting-rules.ts'
import { connectionFault, DatabaseUnusableError } from '../../store/db/connection-fault.ts'
import { isStoreAway, storeOutage } from '../../store/db/store-fault.ts'
import { type ChangingBox, createSecretBox } from '../../store/secrets/secret-box.ts'
import { browsersOf } from '../parts/browsers.ts'
import { openDatabase } from '../parts/database.ts'
import { egressPolicy } from '../parts/egress.ts'
import { encryptionKey } from '../settings/encryption-key.ts'
import { readSettings, type Settings } from '../settings/read-config.ts'
import { checkPorts, type PortSetting } from './ports.ts'
import { type ProcessContext, untilStopped } from './until-stopped.ts'

/** The context of every command that uses the store. */
export interface ServerContext extends ProcessContext {
  readonly settings: Settings
  readonly registry: Registry
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined
  readonly egress: EgressPolicy
  /** Shared by checks and previews; null: this process renders nothing. */
  readonly browsers: Browsers | null
  readonly encryptionKey: string
  readonly secrets: ChangingBox
  readonly databaseUrl: string
  /** The folder of the embedded database; null when there is none. */
  readonly databaseFolder: string | null
}

/** A command that runs until a signal comes. */
interface ServerCommand {
  readonly command: string
  /**
   * The command shares its database with others. The embedded database belongs to one process, so such a command cannot
   * use it.
   */
  readonly isPart?: boolean
  /** The ports that the command listens on. */
  readonly ports: readonly PortSetting[]
  /** Starts the parts of the command. */
  run(context: ServerContext): Promise<void>
}

/**
 * Reads the settings, starts the parts that `run` starts, waits for a signal, and stops everything in the opposite
 * order. A failed start stops the parts that it had started.
 */
export async function runProcess({ command, isPart = false, ports, run }: ServerCommand): Promise<void> {
  const read = () => readSettings(process.env, isPart ? databaseRules(command) : [])
  const settings = read()
  await checkPorts(settings, ports)
  await untilStopped({ settings, read }, async (context) => {
    await started(openContext(settings, context).then(run), settings.DATABASE_URL)
  })
}

/**
 * Explains a database that went away during the start: it is not a bug, and the next start goes on from there. Without
 * an address the database is the embedded one.
 */
async function started(starting: Promise<void>, databaseUrl: string | undefined): Promise<void> {
  try {
    await starting
  } catch (error) {
    const isExplained = error instanceof ExplainedError && !(error instanceof DatabaseUnusableError)
    if (isExplained || !isStoreAway(error)) throw error
    if (databaseUrl !== undefined) throw connectionFault(error, databaseUrl) ?? error
    throw new EmbeddedPostgresError('failed', 'Postgres ended during the start; the lines above say why. Start again.')
  }
}

async function openContext(settings: Settings, context: ProcessContext): Promise<ServerContext> {
  const { log, progress, stack } = context
  const key = await encryptionKey(settings)
  const database = await openDatabase(settings, { log, progress })
  stack.defer('the database', () => database.stop())
  const egress = egressPolicy(settings)
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tidemark_' })
  const browsers = browsersOf({ settings, egress, log, registry })
  stack.defer('the browser', () => browsers?.close())
  countAbsence(registry, storeOutage(log))
  const tracer = await tracerOf(settings, log)
  stack.defer('traces', () => tracer?.close())
  return {
    ...context,
    settings,
    registry,
    tracer,
    egress,
    browsers,
    encryptionKey: key,
    secrets: createSecretBox(key),
    databaseUrl: database.url,
    databaseFolder: database.folder,
  }
}

function countAbsence(registry: Registry, outage: Outage): void {
  const registers = [registry]
  new Gauge({
    name: 'tidemark_store_away',
    help: '1 while the store does not answer this process, else 0.',
    registers,
    collect() {
      this.set(outage.isAway ? 1 : 0)
    },
  })
  new Counter({
    name: 'tidemark_store_away_failures_total',
    help: 'Requests, claims and records of this process that came to nothing because the store was away.',
    registers,
    collect() {
      this.reset()
      this.inc(outage.failures)
    },
  })
}

/** Returns the tracer of the settings. Its code is loaded only when there is a collector. */
async function tracerOf(settings: Settings, log: Logger): Promise<Tracer | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = '' } = settings
  if (endpoint === undefined) return undefined
  const { createOtlpTracer } = await import('../../platform/otlp-tracer.ts')
  const { OTEL_SERVICE_NAME: serviceName, TIDEMARK_TRACE_PERCENT: percent } = settings
  return createOtlpTracer({ endpoint, headers: headersOf(headers), serviceName, percent, log })
}

/** Reads `key=value` pairs, whose values are percent-encoded. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='))
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at).trim().toLowerCase(), decoded(pair.slice(at + 1).trim())]
    }),
  )
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
