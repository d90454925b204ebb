import { Counter, type Registry } from 'prom-client'
import { buildRunnerApi } from '../../api/runner-api/runner-api-app.ts'
import type { Logger } from '../../core/logger.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Store } from '../../store/db/client.ts'
import { ASKED_KINDS } from '../../worker/asked/asked-kinds.ts'
import { createRunnerService, type RunnerServiceOptions } from '../../worker/queue/runner-service.ts'
import { showSandbox } from '../parts/browsers.ts'
import { denialsForRunners } from '../parts/egress.ts'
import { countRefused } from '../process/refused-connections.ts'
import type { Settings } from '../settings/read-config.ts'

interface RunnerApiContext {
  readonly settings: Pick<
    Settings,
    | 'HOST'
    | 'TIDEMARK_RUNNER_API_PORT'
    | 'TIDEMARK_CONNECTIONS_PER_ADDRESS'
    | 'TIDEMARK_BROWSER_PAGES'
    | 'trustedProxies'
  >
  readonly egress: EgressPolicy
  readonly store: Store
  readonly registry: Registry
  readonly log: Logger
  readonly held: Omit<RunnerServiceOptions, 'store' | 'asked'>
}

/**
 * Starts the runner API on its own port, so that runners can claim checks that need a browser. Returns null when no
 * port is set. Closing it waits for results that are being stored.
 */
export async function startRunnerApi({
  settings,
  egress,
  store,
  registry,
  log,
  held,
}: RunnerApiContext): Promise<{ close(): Promise<void> } | null> {
  const { HOST: host, TIDEMARK_RUNNER_API_PORT: port } = settings
  if (port === undefined) return null
  const { trustedProxies, TIDEMARK_CONNECTIONS_PER_ADDRESS: connectionsPerAddress } = settings
  const reused = new Counter({
    name: 'tidemark_runner_tokens_reused_total',
    help: 'Runner tokens that were revoked because one was used after another had taken its place: it was copied.',
    registers: [registry],
  })
  const app = buildRunnerApi({
    source: createRunnerService({ ...held, store, asked: ASKED_KINDS }),
    denied: denialsForRunners(egress),
    store,
    log,
    trustedProxies,
    connectionsPerAddress,
    onRefused: countRefused({ registry, log }, 'runner_api'),
    onReused: () => reused.inc(),
    // A process with its own browsers shows those.
    onRendered: (isSandboxed) => {
      if (settings.TIDEMARK_BROWSER_PAGES === 0) showSandbox(registry, isSandboxed)
    },
  })
  const address = await app.listen({ host, port })
  log.info({ address }, 'runner API listening')
  let closed: Promise<void> | undefined
  return { close: () => (closed ??= app.close()) }
}
