import { createHmac, timingSafeEqual } from 'node:crypto'
import { derivedKey, derivedKeys } from '../../core/derived-key.ts'

/** How long a signed address is good, in seconds (at most 300). */
export const LINK_SECONDS = 300

/** Which picture, whose, and until when. */
interface SignedImage {
  readonly teamId: string
  readonly imageId: string
  /** By the store's clock, in ms since the epoch. */
  readonly untilMs: number
}

/** Addresses of pictures that open them without credentials, for a short time: for the pages that show them. */
export interface ImageLinks {
  /** The address of a picture of the team. Good for so many seconds from now, which is in ms by the store's clock. */
  sign(teamId: string, imageId: string, nowMs: number, seconds?: number): string
  /**
   * What a token of ours says; null when a single byte of it is not ours. Whether its time is over is for the clock to
   * say.
   */
  read(token: string): SignedImage | null
}

/**
 * The keys are derived from TIDEMARK_ENCRYPTION_KEY, for this use only: the newest signs, and what each of them signed
 * is good.
 */
export function createImageLinks(encryptionKey: string, baseUrl: string): ImageLinks {
  const newest = derivedKey(encryptionKey, 'signed images')
  const keys = derivedKeys(encryptionKey, 'signed images')
  const signature = (said: string, key: Buffer) =>
    createHmac('sha256', key).update(`GET /v1/images/${said}`).digest('base64url')
  return {
    sign(teamId, imageId, nowMs, seconds = LINK_SECONDS) {
      const said = `${Math.floor(nowMs / 1000) + Math.round(seconds)}.${teamId}.${imageId}`
      return `${baseUrl}/v1/images/${said}.${signature(said, newest)}`
    },
    read(token) {
      const dot = token.lastIndexOf('.')
      const said = token.slice(0, Math.max(0, dot))
      // As text: two spellings of the same bytes are not the same token.
      const given = token.slice(dot + 1)
      if (!keys.some((key) => isSame(given, signature(said, key)))) return null
      const [until = '', teamId = '', imageId = ''] = said.split('.')
      return { teamId, imageId, untilMs: Number(until) * 1000 }
    },
  }
}

function isSame(given: string, right: string): boolean {
  const one = Buffer.from(given)
  const other = Buffer.from(right)
  return one.length === other.length && timingSafeEqual(one, other)
}
