import { withTimeout } from '../../concurrency/loops/retry.ts'
import type { Store } from '../../store/db/client.ts'
import { imageName } from '../../store/images/images.ts'
import { findThumb, type Thumb } from '../../store/images/run-images.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { DeliveryLog } from '../loop/delivery-log.ts'
import type { MessagePayload, NoticeMessage } from '../messages/message-payload.ts'

/** The small picture of a run that its visual layer fired, for the message about it. */
export interface MessagePictures {
  /** Returns the PNG. Null: the message is about no picture, or it cannot be had now. Never rejects. */
  bytes(payload: MessagePayload | NoticeMessage): Promise<Uint8Array | null>
  /**
   * Returns an address that anybody can open for a few minutes. Null: as for `bytes`, or not everybody can reach this
   * installation. Never rejects.
   */
  address(payload: MessagePayload | NoticeMessage): Promise<string | null>
}

interface PicturesOptions {
  readonly store: Store
  readonly objects: ObjectStore
  /** Signs an address. Null: this installation cannot be reached from outside. */
  readonly sign: ((teamId: string, imageId: string, nowMs: number) => string) | null
  readonly log: DeliveryLog
}

/** A message does not wait longer for its picture. */
const PATIENCE_MS = 3_000
/** Mail servers refuse large mails; a thumbnail is a few kilobytes. */
const MAX_BYTES = 1_048_576

export function createMessagePictures({ store, objects, sign, log }: PicturesOptions): MessagePictures {
  async function having<T>(
    payload: MessagePayload | NoticeMessage,
    read: (thumb: Thumb) => T | Promise<T>,
  ): Promise<T | null> {
    if (!('visual' in payload) || payload.visual === undefined) return null
    const { run_id: runId } = payload
    const found = async () => {
      const thumb = await findThumb(store, runId)
      return thumb && read(thumb)
    }
    try {
      return await withTimeout(found(), PATIENCE_MS, () => null)
    } catch (err) {
      log.warn({ err, run_id: runId }, 'a message is sent without its picture')
      return null
    }
  }

  return {
    bytes: (payload) =>
      having(payload, async ({ team_id: teamId, thumb_id: thumbId }) => {
        const png = await objects.get(imageName(teamId, thumbId))
        return png !== null && png.byteLength <= MAX_BYTES ? png : null
      }),
    address: async (payload) => sign && having(payload, (thumb) => sign(thumb.team_id, thumb.thumb_id, thumb.now_ms)),
  }
}
