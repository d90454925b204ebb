import { Counter, type Registry } from 'prom-client'
import { createImageLinks } from '../../api/auth/image-links.ts'
import type { DiskGuard } from '../../core/disk-guard.ts'
import type { Logger } from '../../core/logger.ts'
import { createMessagePictures } from '../../deliveries/channels/message-pictures.ts'
import { createPolicy } from '../../egress/policy.ts'
import { checkTargetUrl } from '../../egress/target-url.ts'
import type { Store } from '../../store/db/client.ts'
import { sweepImages } from '../../store/images/image-sweep.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { sweepUnreadPages } from '../../store/objects/unread-pages.ts'
import { createPeriodicWork, type PeriodicWork } from '../../worker/maintenance/periodic-work.ts'
import { createComparer } from '../../worker/pictures/comparer.ts'
import { createPictures, type Pictures } from '../../worker/pictures/pictures.ts'
import type { Stack } from '../process/stack.ts'
import type { Settings } from '../settings/read-config.ts'
import { objectsOf } from './objects.ts'

interface PictureContext {
  readonly settings: Settings
  readonly store: Store
  readonly log: Logger
  readonly stack: Stack
}

interface StartContext extends PictureContext {
  readonly registry: Registry
  readonly disk: DiskGuard
}

/**
 * Starts what a worker needs for the pictures of its checks. The stack stops it. The maintenance runs the sweep, which
 * deletes unused pictures.
 */
export function startPictures({ settings, store, log, stack, registry, disk }: StartContext): {
  readonly pictures: Pictures
  readonly sweep: PeriodicWork
} {
  const objects = objectsOf(settings)
  stack.defer('the object store', () => objects.close())
  const comparer = createComparer()
  stack.defer('the picture comparer', () => comparer.close())
  const sweep = sweepOf({ store, objects, log })
  stack.defer('the picture sweep', () => sweep.stop())
  const skipped = new Counter({
    name: 'tidemark_pictures_skipped_total',
    help: 'Runs whose pictures were neither stored nor compared, because the bytes of the plan are used up.',
    registers: [registry],
  })
  const pictures = createPictures({ store, objects, comparer, log, disk, onSkipped: () => skipped.inc() })
  return { pictures, sweep }
}

/** Where the pictures of messages come from, and who may see them. */
interface MessagePictureContext extends PictureContext {
  readonly encryptionKey: string
}

/** Returns the pictures for messages. Chats get an address only where everybody can open it. */
export function messagePicturesOf({ settings, store, log, encryptionKey, stack }: MessagePictureContext) {
  const objects = objectsOf(settings)
  stack.defer('the object store of messages', () => objects.close())
  const base = publicBase(settings)
  const links = base === null ? null : createImageLinks(encryptionKey, base)
  return createMessagePictures({ store, objects, sign: links && links.sign, log })
}

/** Returns the base address if everybody may reach it: https, and neither a private address nor a private name. */
function publicBase({ TIDEMARK_BASE_URL: base }: Settings): string | null {
  const url = base === undefined ? null : URL.parse(base)
  if (base === undefined || url?.protocol !== 'https:') return null
  const isPrivate = checkTargetUrl(base, createPolicy({ allowPrivateCidrs: [], neverAllow: [] })) !== null
  return isPrivate || !/\.(?!local$|internal$|lan$|home$)[^.]+$/i.test(url.hostname) ? null : base.replace(/\/+$/, '')
}

/** The time between two sweeps, and before the first one. Nothing waits for a sweep. */
const SWEEP_EVERY_MS = 3_600_000
const SWEEP_AFTER_MS = 60_000

interface Sweeping {
  readonly store: Store
  readonly objects: ObjectStore
  readonly log: Logger
}

function sweepOf({ store, objects, log }: Sweeping): PeriodicWork {
  return createPeriodicWork({
    everyMs: SWEEP_EVERY_MS,
    afterMs: SWEEP_AFTER_MS,
    async work(signal) {
      const swept = await sweepImages({ store, objects, signal })
      await sweepUnreadPages({ store, objects })
      if (swept.runs + swept.images > 0) log.info(swept, 'deleted unused pictures')
    },
    onFault: (err) => log.warn({ err }, 'unused pictures could not be deleted; trying again in an hour'),
  })
}
