import { randomUUID } from 'node:crypto'
import type { DiskFull } from '../../core/disk-guard.ts'
import type { Looked } from '../../runners/check/look-documents.ts'
import type { PageLook } from '../../runners/check/look-of.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import { LOOK_LIMITS } from '../../schema/monitor/look-limits.ts'
import type { Look, LookRequest } from '../../schema/monitor/look.ts'
import type { AskedWork } from '../../store/asked/asked-work.ts'
import type { Store } from '../../store/db/client.ts'
import { imageName } from '../../store/images/images.ts'
import { announceLookImage, keepLook } from '../../store/looks/looks.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Locked, OutOfRuns } from '../outcome.ts'
import { paidWork } from '../paid-work.ts'
import type { PreviewLimit, Stopping, Unanswered } from '../preview/preview-monitor.ts'
import { guessesOf } from './guesses-of.ts'
import { sealDocument } from './kept-document.ts'
import type { SealedLook } from './opened-looks.ts'

/** The slots for previews, which looks share. */
interface LookSlots {
  enter(teamId: string): LookSlot | PreviewLimit | DiskFull
}

interface LookSlot {
  readonly kind: 'place'
  /** Makes the look. `work` is what was paid for. */
  look(
    work: AskedWork,
    asked: LookRequest,
  ): Promise<{ readonly kind: 'done'; readonly looked: Looked } | PreviewLimit | Stopping | Unanswered>
  leave(): void
}

/** A look without the address of its picture. */
type KeptLook = Omit<Look, 'picture' | 'expires_at'>

interface DoneLook {
  readonly kind: 'done'
  readonly look: KeptLook
  /** Of the picture; null: there is none. */
  readonly imageId: string | null
  /** In ms by the store's clock. */
  readonly nowMs: number
  readonly expiresMs: number
  readonly isPaid: boolean
}

type LookOutcome = DoneLook | OutOfRuns | Locked | PreviewLimit | DiskFull | Stopping | Unanswered

interface LookPorts {
  readonly store: Store
  readonly secrets: SecretBox
  /** Where pictures are stored. Undefined: nowhere, so that a look has none. */
  readonly objects: ObjectStore | undefined
  readonly previews: LookSlots
  readonly extractor: Extractor
}

/**
 * Looks at a page now, and keeps what was seen for a while. It costs one run of the team's quota, and no picture. A
 * look of which all failed because of this installation costs nothing.
 */
export async function lookAtPage(
  ports: LookPorts,
  { teamId, asked }: { readonly teamId: string; readonly asked: LookRequest },
): Promise<LookOutcome> {
  const slot = ports.previews.enter(teamId)
  if (slot.kind !== 'place') return slot
  try {
    return await paidWork(
      ports.store,
      { kind: 'look', teamId, pool: 'runs', cost: 1 },
      async (work) => {
        const ended = await slot.look(work, asked)
        return ended.kind === 'done' ? keep(ports, { work, asked, looked: ended.looked }) : ended
      },
      (ended) => ended.kind === 'done' && ended.isPaid,
    )
  } finally {
    slot.leave()
  }
}

interface Found {
  readonly work: AskedWork
  readonly asked: LookRequest
  readonly looked: Looked
}

async function keep(ports: LookPorts, { work, asked, looked }: Found): Promise<DoneLook> {
  const { store, secrets, objects, extractor } = ports
  const { teamId, no } = work
  const id = randomUUID()
  const shot = looked.look?.shot
  const stored =
    shot && objects ? await storeImage({ store, objects }, work, shot).catch(() => 'failed' as const) : null
  const image = stored === 'failed' ? null : stored
  const document = looked.rendered.document ?? looked.fetched.document
  const shown = { ...lookOf(id, asked, looked), ...(await guessesOf(extractor, document)) }
  const warnings = stored === 'failed' ? [NOT_STORED, ...shown.warnings].slice(0, LOOK_LIMITS.warnings) : shown.warnings
  const look = image === null ? { ...shown, warnings, width: 0, height: 0 } : shown
  const [fetched, rendered] = await Promise.all(
    (['fetched', 'rendered'] as const).map(async (name) => {
      const { document } = looked[name]
      return document && sealDocument(secrets, { teamId, id, name }, document)
    }),
  )
  const { now_ms: nowMs, expires_ms: expiresMs } = await keepLook(store, {
    id,
    teamId,
    image: image && { id: image.id, no, bytes: image.bytes },
    seconds: LOOK_LIMITS.seconds,
    answer: secrets.seal({ teamId, column: 'looks.answer', rowId: id }, { ...look, asked } satisfies SealedLook),
    fetched: fetched ?? null,
    rendered: rendered ?? null,
  })
  return { kind: 'done', look, imageId: image?.id ?? null, nowMs, expiresMs, isPaid: !looked.isOurFault }
}

async function storeImage(
  { store, objects }: { readonly store: Store; readonly objects: ObjectStore },
  { teamId, no }: AskedWork,
  { png }: NonNullable<PageLook['shot']>,
): Promise<{ readonly id: string; readonly bytes: number }> {
  const image = { id: randomUUID(), bytes: png.byteLength }
  await announceLookImage(store, { ...image, teamId, no })
  await objects.put(imageName(teamId, image.id), png)
  return image
}

const MAX_WARNING = 500

function lookOf(id: string, { url }: LookRequest, looked: Looked): Omit<KeptLook, 'guesses' | 'outline'> {
  const { fetched, rendered, look, reason, isOurFault } = looked
  const { elements = [], covers = [], warnings = [] } = look ?? {}
  const said = isOurFault ? [...warnings, NOT_PAID] : warnings
  return {
    id,
    url,
    width: look?.shot?.width ?? 0,
    height: look?.shot?.height ?? 0,
    cut: look?.isCut ?? false,
    elements: [...elements],
    covers: [...covers],
    documents: { fetched: fetched.about, rendered: rendered.about },
    needs_browser: reason !== null,
    browser_reason: reason,
    // A runner's may be longer.
    warnings: said.slice(0, LOOK_LIMITS.warnings).map((warning) => warning.slice(0, MAX_WARNING)),
  }
}

const NOT_STORED = 'The picture could not be stored. Look again in a while.'
const NOT_PAID = 'The look failed because of this installation. It used no run.'
