import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildRunnerApi } from '../../../api/runner-api/runner-api-app.ts'
import { WORK_KINDS } from '../../../boot/kinds.ts'
import { promptsOf } from '../../../boot/parts/model.ts'
import { createLogger } from '../../../core/logger.ts'
import type { Denials } from '../../../egress/policy.ts'
import type { CheckSource } from '../../../runners/check/check-source.ts'
import {
  createHttpCheckSource,
  type HttpCheckSource,
  type HttpCheckSourceOptions,
} from '../../../runners/client/http-check-source.ts'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import type { ReusedRunnerToken } from '../../../store/accounts/credentials/runner-token-exchange.ts'
import { createRunnerToken, type IssuedRunnerToken } from '../../../store/accounts/credentials/runner-tokens.ts'
import { openStore } from '../../../store/db/client.ts'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import { ASKED_KINDS } from '../../../worker/asked/asked-kinds.ts'
import { createComparer } from '../../../worker/pictures/comparer.ts'
import { createPictures } from '../../../worker/pictures/pictures.ts'
import { createPostgresCheckSource } from '../../../worker/queue/postgres-check-source.ts'
import { createRunnerService, type RunnerServiceOptions } from '../../../worker/queue/runner-service.ts'
import { createRecorder } from '../../../worker/record/recorder.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { openTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts'
import { type ModelServer, openModelServer } from '../prompts/model-server.ts'

/** The trusted side of check sources over a store that can be cut off, and check sources of both kinds to it. */
export interface TrustedSide extends AsyncDisposable {
  readonly database: QueueDatabase
  /** Between the trusted side and its store. */
  readonly proxy: TcpProxy
  readonly model: ModelServer
  /** Lines of the log, at warn and above. */
  readonly log: readonly string[]
  postgresCheckSource(): CheckSource
  /** Where the verbs are served. */
  readonly runnerApiUrl: string
  token(job?: string, ttlSeconds?: number): Promise<IssuedRunnerToken>
  /** With a token of its own unless one is given. */
  httpCheckSource(options?: Partial<HttpCheckSourceOptions>): Promise<HttpCheckSource>
  /** Another worker that serves the same runner API. */
  serve(more?: ServeOptions): Promise<{ url: string; close(): Promise<void> }>
}

interface ServeOptions extends Partial<RunnerServiceOptions> {
  readonly budgetBytes?: number
  /** What its runners are told to deny. */
  readonly denied?: Denials
  readonly onRendered?: (isSandboxed: boolean) => void
  readonly onReused?: (reused: ReusedRunnerToken) => void
}

const NOTHING: Denials = { cidrs: [], endpoints: [] }

export async function openTrustedSide(leaseMs = 60_000): Promise<TrustedSide> {
  const lines: string[] = []
  const log = createLogger('warn', { write: (line) => void lines.push(line) })
  const [database, model] = await Promise.all([openQueueDatabase(), openModelServer()])
  const proxy = await openTcpProxy(database.url)
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-runner-'))
  const store = await openStore({ url: proxy.url, name: 'test runner api', connections: 8, connectTimeoutMs: 2_000 })
  const comparer = createComparer()
  const patterns = createPatternMatcher()
  const pictures = createPictures({ store, objects: createFolderStore(folder), comparer, log })
  const recorder = createRecorder({
    kinds: WORK_KINDS,
    store,
    secrets: database.secrets,
    patterns,
    pictures,
    log,
    onDeliveries: () => {},
    patienceMs: leaseMs,
  })
  const settings = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'a-model', TIDEMARK_LLM_CONCURRENCY: 8 }
  const prompts = promptsOf({ ...settings, TIDEMARK_LLM_TIMEOUT_SECONDS: 30 }, { store, log, patienceMs: leaseMs })
  const trusted = {
    store,
    secrets: database.secrets,
    recorder,
    prompts,
    leaseMs,
    kinds: WORK_KINDS,
    asked: ASKED_KINDS,
  }
  const runnerApi: HttpCheckSource[] = []
  const servers: { close(): Promise<void> }[] = []
  const token = (job = 'a-job', ttlSeconds = 900) => createRunnerToken(database.store, { job, ttlSeconds })

  async function serve(options: ServeOptions = {}) {
    const { budgetBytes, denied: _denied, onRendered, onReused, ...more } = options
    const source = createRunnerService({ ...trusted, ...more })
    const app = buildRunnerApi({
      source,
      denied: async () => options.denied ?? NOTHING,
      store,
      log,
      ...(budgetBytes !== undefined && { budgetBytes }),
      ...(onRendered && { onRendered }),
      ...(onReused && { onReused }),
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const server = { url, close: () => app.close() }
    servers.push(server)
    return server
  }
  const { url: runnerApiUrl } = await serve()

  return {
    database,
    proxy,
    model,
    log: lines,
    runnerApiUrl,
    token,
    serve,
    postgresCheckSource: () => createPostgresCheckSource({ ...trusted, queues: ['browser', 'visual'] }),
    async httpCheckSource(options = {}) {
      const source = createHttpCheckSource({
        url: runnerApiUrl,
        token: options.token ?? (await token()).token,
        log,
        onDenials: () => {},
        ...options,
      })
      runnerApi.push(source)
      return source
    },
    async [Symbol.asyncDispose]() {
      proxy.mend()
      await Promise.all(runnerApi.map((source) => source.close()))
      await Promise.all(servers.map((server) => server.close()))
      await prompts?.close()
      await recorder.settle()
      await Promise.all([comparer.close(), patterns.close(), store.end()])
      await Promise.all([proxy, model, database].map((part) => part[Symbol.asyncDispose]()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
