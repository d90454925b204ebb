import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildLaneApp } from '../../../api/runner-api/runner-api-app.ts'
import { promptsOf } from '../../../cli/boot/parts/model.ts'
import { createLogger } from '../../../core/logger.ts'
import { createHeldLane, type HeldLaneOptions } from '../../../worker/queue/runner-service.ts'
import { createHttpLane, type HttpLane, type HttpLaneOptions } from '../../../runners/client/http-check-source.ts'
import type { Lane } from '../../../runners/check/check-source.ts'
import { createPostgresLane } from '../../../worker/queue/postgres-check-source.ts'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { createRecorder } from '../../../worker/record/recorder.ts'
import { createComparer } from '../../../worker/pictures/comparer.ts'
import { createPictures } from '../../../worker/pictures/pictures.ts'
import { openStore } from '../../../store/db/client.ts'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import { createRunnerToken, type IssuedRunnerToken } from '../../../store/accounts/runner-tokens.ts'
import { type ModelServer, openModelServer } from '../prompts/model-server.ts'
import { openQueueWorld, type QueueWorld } from '../../store/queue/queue-world.ts'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

/** The trusted side of lanes over a store that can be cut off, and lanes of both kinds to it. */
export interface LaneWorld extends AsyncDisposable {
  readonly world: QueueWorld
  /** Between the trusted side and its store. */
  readonly proxy: TcpProxy
  readonly model: ModelServer
  /** Lines of the log, at warn and above. */
  readonly log: readonly string[]
  postgresLane(): Lane
  /** Where the verbs are served. */
  readonly laneUrl: string
  token(job?: string, ttlSeconds?: number): Promise<IssuedRunnerToken>
  /** With a token of its own unless one is given. */
  httpLane(options?: Partial<HttpLaneOptions>): Promise<HttpLane>
  /** Another worker that serves the same lane. */
  serve(more?: Partial<HeldLaneOptions> & { budgetBytes?: number }): Promise<{ url: string; close(): Promise<void> }>
}

export async function openLaneWorld(leaseMs = 60_000): Promise<LaneWorld> {
  const lines: string[] = []
  const log = createLogger('warn', { write: (line) => void lines.push(line) })
  const [world, model] = await Promise.all([openQueueWorld(), openModelServer()])
  const proxy = await openTcpProxy(world.url)
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-lane-'))
  const store = await openStore({ url: proxy.url, name: 'test lane', connections: 8, connectTimeoutMs: 2_000 })
  const comparer = createComparer()
  const patterns = createPatternMatcher()
  const pictures = createPictures({ store, objects: createFolderStore(folder), comparer, log })
  const recorder = createRecorder({
    store,
    secrets: world.secrets,
    patterns,
    pictures,
    log,
    onDeliveries: () => {},
    patienceMs: leaseMs,
  })
  const settings = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'a-model', TIDEMARK_LLM_CONCURRENCY: 8 }
  const prompts = promptsOf({ ...settings, TIDEMARK_LLM_TIMEOUT_SECONDS: 5 }, { store, log, patienceMs: leaseMs })
  const trusted = { store, secrets: world.secrets, recorder, prompts, leaseMs }
  const lanes: HttpLane[] = []
  const servers: { close(): Promise<void> }[] = []
  const token = (job = 'a-job', ttlSeconds = 900) => createRunnerToken(world.store, { job, ttlSeconds })

  async function serve({ budgetBytes, ...more }: Partial<HeldLaneOptions> & { budgetBytes?: number } = {}) {
    const lane = createHeldLane({ ...trusted, ...more })
    const app = buildLaneApp({ lane, store, log, ...(budgetBytes !== undefined && { budgetBytes }) })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const server = { url, close: () => app.close() }
    servers.push(server)
    return server
  }
  const { url: laneUrl } = await serve()

  return {
    world,
    proxy,
    model,
    log: lines,
    laneUrl,
    token,
    serve,
    postgresLane: () => createPostgresLane({ ...trusted, queues: ['browser', 'visual'] }),
    async httpLane(options = {}) {
      const lane = createHttpLane({ url: laneUrl, token: options.token ?? (await token()).token, log, ...options })
      lanes.push(lane)
      return lane
    },
    async [Symbol.asyncDispose]() {
      proxy.mend()
      await Promise.all(lanes.map((lane) => lane.close()))
      await Promise.all(servers.map((server) => server.close()))
      await prompts?.close()
      await recorder.settle()
      await Promise.all([comparer.close(), patterns.close(), store.end()])
      await Promise.all([proxy, model, world].map((part) => part[Symbol.asyncDispose]()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
