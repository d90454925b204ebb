import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { WORK_KINDS } from '../../../boot/kinds.ts'
import type { DiskGuard } from '../../../core/disk-guard.ts'
import { createLogger } from '../../../core/logger.ts'
import type { Shot } from '../../../runners/browser/page/shot.ts'
import type { PageTask, Task } from '../../../runners/check/task.ts'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import type { Tier } from '../../../schema/account/plan.ts'
import type { Values } from '../../../schema/shape/json.ts'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import type { ObjectStore } from '../../../store/objects/object-store.ts'
import { createComparer } from '../../../worker/pictures/comparer.ts'
import { createPictures } from '../../../worker/pictures/pictures.ts'
import { createPostgresCheckSource } from '../../../worker/queue/postgres-check-source.ts'
import { createRecorder } from '../../../worker/record/recorder.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { look } from '../../worker/pictures/drawings.ts'

/** What a browser brings home, without a browser. */
interface Seen {
  readonly pngs: readonly (Uint8Array | null)[]
  readonly price?: string
  /** The layer that drew the page; the browser unless given. */
  readonly by?: 'browser' | 'proxy'
}

/** An API, and the trusted side of a worker, over one store and one object store: everything but the browser. */
export interface VisualService {
  readonly served: ServedApi
  readonly objects: ObjectStore
  readonly folder: string
  /** Creates a monitor of the page or of these regions. */
  monitor(client: Client, visual?: object, more?: object): Promise<string>
  /** Runs a monitor now; its check sees this. Answers the run. */
  run(client: Client, monitorId: string, seen: Seen): Promise<Run>
  /** Ends all checks that are due at the same time; each sees this. */
  checkAll(seen: Seen): Promise<void>
  close(): Promise<void>
}

interface Run {
  readonly id: string
  readonly status: string
  readonly visual_change_pct?: number
  readonly delivery_triggered: boolean
  readonly error_message: string | null
  readonly warnings: readonly string[]
}

/** `around` stands between the worker and its object store. */
export async function createVisualService(
  plan: Tier = 'scale',
  around: (objects: ObjectStore) => ObjectStore = (objects) => objects,
  disk?: DiskGuard,
): Promise<VisualService> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-pictures-'))
  const objects = createFolderStore(folder)
  const served = await serveApi(plan, { objects })
  const { store, secrets } = served.api.services
  // What a picture may take has a test of its own; here a busy machine has the time it needs.
  const comparer = createComparer({ timeoutMs: 60_000 })
  const patterns = createPatternMatcher()
  const log = createLogger('silent')
  const pictures = createPictures({ store, objects: around(objects), comparer, log, disk })
  const recorder = createRecorder({
    kinds: WORK_KINDS,
    store,
    secrets,
    patterns,
    pictures,
    log,
    onDeliveries: () => {},
    patienceMs: 60_000,
  })
  const source = createPostgresCheckSource({
    kinds: WORK_KINDS,
    store,
    secrets,
    recorder,
    queues: ['visual'],
    leaseMs: 60_000,
  })

  async function check(task: Task, seen: Seen): Promise<void> {
    const regions = (task as PageTask).visual?.regions ?? []
    const shots = await Promise.all(
      seen.pngs.map((png, at) => shotOf(png, regions.length > 0 ? (regions[at]?.label ?? `region-${at + 1}`) : 'page')),
    )
    const values: Values = { price: seen.price ?? '$1' }
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'values', fetchMethod: seen.by ?? 'browser', mark, values, warnings: [], shots } as const
    const startedMs = Math.round(task.claimedMs)
    await source.complete({ task, reading, startedMs, endedMs: startedMs + 900 })
  }

  return {
    served,
    objects,
    folder,
    async monitor(client, visual = {}, more = {}) {
      const made = await createMonitor(client, { visual_config: { enabled: true, ...visual }, ...more })
      // Only the runs that a test asks for are due.
      await client.post(`/v1/monitors/${made.id}/pause`)
      return made.id
    },
    async run(client, monitorId, seen) {
      const asked = await client.post(`/v1/monitors/${monitorId}/run`)
      expect(asked.status).toBe(200)
      const task = (await source.claim(10)).find((claimed) => claimed.monitorId === monitorId)
      if (!task) throw new Error('the check is not due')
      await check(task, seen)
      const { body } = await client.get(`/v1/runs/${asked.body.run_id}`)
      return body as unknown as Run
    },
    async checkAll(seen) {
      await Promise.all((await source.claim(100)).map((task) => check(task, seen)))
    },
    async close() {
      await recorder.settle()
      await Promise.all([comparer.close(), patterns.close()])
      await served.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function shotOf(png: Uint8Array | null, region: string): Promise<Shot> {
  const { width, height } = png ? await look(png) : { width: 0, height: 0 }
  return { region, width, height, png }
}
