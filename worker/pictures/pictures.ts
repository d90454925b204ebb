import { createHash } from 'node:crypto'
import type { DiskGuard } from '../../core/disk-guard.ts'
import type { Logger } from '../../core/logger.ts'
import { RUN_COMPARE_MS } from '../../runners/browser/page/picture-limits.ts'
import { LARGEST_SHOT_BYTES, missingRegions, type Shot, shotName } from '../../runners/browser/page/shot.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Store } from '../../store/db/client.ts'
import { abandonImages, imageName, reserveImages } from '../../store/images/images.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { PictureSet, RunPictures } from '../../store/queue/record-pictured.ts'
import { BLANK } from './blank.ts'
import type { Comparer } from './comparer.ts'
import { type Drawn, drawn, drawnOf, type Seen, summaryOf } from './drawn.ts'

/** The result of comparing the screenshots of a check. */
type Captured =
  | { readonly kind: 'kept'; readonly pictures: RunPictures<PictureSet>; readonly warnings: readonly string[] }
  /** The fields of the run are kept; its pictures were neither stored nor compared. */
  | { readonly kind: 'skipped'; readonly warnings: readonly string[] }
  | { readonly kind: 'failed'; readonly fault: RunFault }

/** The screenshots of a check, and what they are compared with. */
interface CaptureRequest {
  readonly teamId: string
  readonly no: number
  readonly runId: string
  readonly shots: readonly Shot[]
  /** Null: these are the first screenshots. */
  readonly baseline: PictureSet | null
}

/**
 * The trusted side of the visual layer: compares screenshots with those of the previous run, and stores them. The
 * recorder writes the rows that refer to them.
 */
export interface Pictures {
  /** Never rejects because of a picture or the object store. */
  take(captureRequest: CaptureRequest): Promise<Captured>
}

interface PicturesOptions {
  readonly store: Store
  readonly objects: ObjectStore
  readonly comparer: Comparer
  readonly log: Logger
  /** Called for each run whose pictures the plan's bytes refuse, for a metric. */
  readonly onSkipped?: () => void
  /** Absent: no disk is looked at. */
  readonly disk?: DiskGuard | undefined
}

/** Creates it with a store, an object store and a comparer. It does not close any of them. */
export function createPictures({ store, objects, comparer, log, onSkipped, disk }: PicturesOptions): Pictures {
  async function take(captureRequest: CaptureRequest): Promise<Captured> {
    const { shots, baseline } = captureRequest
    const warnings = missingRegions(shots)
    const seen: Drawn[] = []
    let leftMs = RUN_COMPARE_MS
    for (const [place, shot] of shots.entries()) {
      const png = shot.png ?? BLANK
      if (png.byteLength > LARGEST_SHOT_BYTES) return { kind: 'failed', fault: TOO_LARGE }
      const hash = createHash('sha256').update(png).digest('base64url')
      const last = baseline?.regions[place] ?? null
      if (last?.hash === hash) {
        seen.push(drawnOf(shot.region, last))
        continue
      }
      const before = last && (await objects.get(imageName(captureRequest.teamId, last.image)))
      if (last && !before) warnings.push(`The last picture of ${shotName(shots, place)} is gone; nothing was compared.`)
      const allowance = { teamId: captureRequest.teamId, mostMs: leftMs }
      const comparison = await comparer.compare({ before, after: png, thumb: place === 0 }, allowance)
      if (!comparison.ok) return { kind: 'failed', fault: FAULTS[comparison.reason](comparison.message) }
      leftMs -= comparison.tookMs
      seen.push(drawn(shot.region, { png, hash, last: before && last, compared: comparison.compared }))
    }
    return keep(captureRequest, { drawn: seen, thumb: baseline?.thumb ?? null }, warnings)
  }

  async function keep(captureRequest: CaptureRequest, seen: Seen, warnings: readonly string[]): Promise<Captured> {
    const { teamId } = captureRequest
    const { pictures, fresh } = summaryOf(seen)
    if (fresh.length === 0) return { kind: 'kept', pictures, warnings }
    const refusal = disk?.refusal('pictures') ?? null
    if (refusal !== null)
      return {
        kind: 'skipped',
        warnings: [...warnings, `${refusal}: this run's pictures were neither kept nor compared.`],
      }
    const images = fresh.map(({ id, png }) => ({ id, bytes: png.byteLength }))
    const reserved = await reserveImages(store, captureRequest, images)
    if (!reserved.ok) {
      onSkipped?.()
      const { used, limit, isReported } = reserved
      if (isReported) log.warn({ team_id: teamId, used, limit }, 'the bytes of pictures of a team are used up')
      return { kind: 'skipped', warnings: [...warnings, usedUp(limit)] }
    }
    try {
      for (const { id, png } of fresh) await objects.put(imageName(teamId, id), png)
    } catch (error) {
      const ids = images.map(({ id }) => id)
      await abandonImages(store, ids).catch((err: unknown) => log.warn({ err }, 'pictures wait for the sweep'))
      throw error
    }
    return { kind: 'kept', pictures, warnings }
  }

  return {
    take: (captureRequest) =>
      take(captureRequest).catch((error: unknown): Captured => {
        log.error({ err: error, run_id: captureRequest.runId }, 'the pictures of a run could not be stored or read')
        return { kind: 'failed', fault: AWAY }
      }),
  }
}

const usedUp = (limit: number) =>
  `The plan's ${limit.toLocaleString('en')} bytes of screenshots are used up: this run's pictures were neither ` +
  `kept nor compared.`

const TOO_LARGE: RunFault = {
  code: 'too_large',
  message:
    `A screenshot is larger than ${LARGEST_SHOT_BYTES.toLocaleString('en')} bytes. Watch regions, or a smaller ` +
    `viewport.`,
}
const AWAY: RunFault = {
  code: 'internal',
  message: 'The screenshots could not be stored or read; the log has the details under the run id.',
}
const FAULTS = {
  picture: (message: string): RunFault => ({ code: 'internal', message }),
  limit: (message: string): RunFault => ({ code: 'too_large', message }),
} as const
