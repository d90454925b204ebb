import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Counter, Gauge, type Registry } from 'prom-client'
import { type DiskGuard, diskText } from '../../core/disk-guard.ts'
import type { Logger } from '../../core/logger.ts'
import { createDiskWatch, type DiskPlace, type DiskWatch } from '../../platform/disk/disk-watch.ts'
import { fullestFolder } from '../../platform/disk/folder-space.ts'
import type { Config } from '../../schema/config/config.ts'
import type { DiskFigures } from '../../schema/disk.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { databaseSize } from '../../store/maintenance/database-size.ts'
import { createDiskNotices } from '../../worker/maintenance/disk-notices.ts'
import type { Stack } from '../process/stack.ts'

interface DiskContext {
  readonly settings: Pick<Config, 'TIDEMARK_DATA_DIR' | 'TIDEMARK_DATABASE_MAX_BYTES' | 'S3_BUCKET'>
  /** The folder of the embedded database; null when there is none. */
  readonly databaseFolder: string | null
  readonly store: Store
  readonly registry: Registry
  readonly log: Logger
  readonly stack: Stack
  /** This process notifies the owner. Others only stop what can wait. */
  readonly notifies: boolean
}

/** Begins to look at the disks of the installation; the stack ends it. Returns what stops work that can wait. */
export async function startDiskWatch(context: DiskContext): Promise<DiskGuard> {
  const { store, registry, log, stack, notifies } = context
  const notices = notifies ? createDiskNotices({ store, log }) : undefined
  const watch = createDiskWatch({
    places: placesOf(context),
    ...(notices && { onLook: (states) => notices.look(states) }),
    onFault: fault,
  })
  stack.defer('the look at the disks', () => watch.close())
  measure(registry, watch)
  await watch.look().catch(fault)
  watch.start()
  const refusals = refusalsOf(registry)
  return {
    refusal(what) {
      if (watch.full === null) return null
      refusals.inc({ what })
      return diskText(watch.full)
    },
  }

  function fault(err: unknown): void {
    if (!storeOutage(log).covers(err, 'looks at the disk')) log.warn({ err }, 'the room of the disks could not be read')
  }
}

function placesOf({ settings, databaseFolder, store }: DiskContext): DiskPlace[] {
  const { TIDEMARK_DATA_DIR: dataDir, TIDEMARK_DATABASE_MAX_BYTES: most, S3_BUCKET: bucket } = settings
  const places: DiskPlace[] = []
  if (databaseFolder !== null || bucket === undefined)
    places.push({
      name: 'data_folder',
      async measure() {
        // On a cluster the pictures have their own volume. The folder around it is the disk of the node.
        const images = bucket === undefined ? [await existing(join(dataDir, 'images'), dataDir)] : []
        return fullestFolder(databaseFolder === null ? images : [databaseFolder, ...images])
      },
    })
  if (most !== undefined)
    places.push({ name: 'database', measure: async () => ({ used: await databaseSize(store), size: most }) })
  return places
}

const existing = (folder: string, otherwise: string): Promise<string> =>
  stat(folder).then(
    () => folder,
    () => otherwise,
  )

const GAUGES = [
  ['tidemark_disk_used_bytes', 'Bytes that are used, by place: the disk of the data folder, or the database.', 'used'],
  [
    'tidemark_disk_size_bytes',
    'Bytes that can be used, by place. From 95 % of them on, previews and pictures stop.',
    'size',
  ],
] as const satisfies readonly (readonly [string, string, keyof DiskFigures])[]

/** Parts of one process look at the same disks. */
function measure(registry: Registry, watch: DiskWatch): void {
  for (const [name, help, figure] of GAUGES)
    if (registry.getSingleMetric(name) === undefined)
      new Gauge({
        name,
        help,
        labelNames: ['place'],
        registers: [registry],
        collect() {
          this.reset()
          for (const state of watch.states) this.set({ place: state.place }, state[figure])
        },
      })
}

const REFUSALS = 'tidemark_disk_refusals_total'

const refusalsOf = (registry: Registry): Counter<'what'> =>
  (registry.getSingleMetric(REFUSALS) as Counter<'what'> | undefined) ??
  new Counter({
    name: REFUSALS,
    help: 'Previews that were refused, and runs whose pictures were left out, because a disk is nearly full.',
    labelNames: ['what'],
    registers: [registry],
  })
