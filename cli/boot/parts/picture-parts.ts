import type { Logger } from '../../../core/logger.ts'
import { createRepeat } from '../../../concurrency/repeat.ts'
import { createComparer } from '../../../worker/pictures/comparer.ts'
import { createPictures, type Pictures } from '../../../worker/pictures/pictures.ts'
import type { Store } from '../../../store/db/client.ts'
import { sweepImages } from '../../../store/images/image-sweep.ts'
import type { ObjectStore } from '../../../store/objects/object-store.ts'
import { objectsOf } from './objects.ts'
import type { Settings } from '../settings/read-config.ts'
import type { Stack } from '../process/stack.ts'

interface PictureWorld {
  readonly settings: Settings
  readonly store: Store
  readonly log: Logger
  readonly stack: Stack
}

/**
 * What a worker needs for the pictures of its checks. The stack stops them; what nobody needs any more is swept out now
 * and then.
 */
export function startPictures({ settings, store, log, stack }: PictureWorld): Pictures {
  const objects = objectsOf(settings)
  stack.defer('the object store', () => objects.close())
  const comparer = createComparer()
  stack.defer('the comparing of pictures', () => comparer.close())
  const sweeping = startSweeping({ store, objects, log })
  stack.defer('the sweep of pictures', () => sweeping.stop())
  return createPictures({ store, objects, comparer, log })
}

/** How often, and how long after the start first: nobody waits for it. */
const SWEEP_EVERY_MS = 3_600_000
const SWEEP_AFTER_MS = 60_000

interface Sweeping {
  readonly store: Store
  readonly objects: ObjectStore
  readonly log: Logger
}

function startSweeping({ store, objects, log }: Sweeping): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const hourly = createRepeat(async () => {
    try {
      const swept = await sweepImages({ store, objects, signal: stopping.signal })
      if (swept.runs + swept.images > 0) log.info(swept, 'deleted pictures that nobody can see any more')
    } catch (error) {
      log.warn({ err: error }, 'pictures that nobody needs could not be deleted; trying again in an hour')
    }
    return SWEEP_EVERY_MS
  })
  const first = setTimeout(() => hourly.soon(), SWEEP_AFTER_MS)
  return {
    stop() {
      clearTimeout(first)
      stopping.abort()
      return hourly.stop()
    },
  }
}
