/** The most pixels of one picture. Decoded, two such pictures and their difference are 400 MB. */
export const MAX_PIXELS = 40_000_000

/**
 * Milliseconds that one comparison may take in its thread. A page of 1280 × 10,000 takes half a second
 * (docs/visual.md).
 */
export const COMPARE_MS = 20_000

/**
 * Milliseconds that all comparisons of one run may take together: twenty regions must not take twenty times as long.
 */
export const RUN_COMPARE_MS = 60_000

/** Why a picture is not compared. */
interface Refused {
  readonly reason: 'picture' | 'limit'
  readonly message: string
}

/**
 * Checks by the first bytes whether a picture can be compared; nothing is decoded. Returns why it cannot (not a PNG, or
 * too large), or null when it can.
 */
export function refusePng(png: Uint8Array): Refused | null {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  if (bytes.length < 33 || !bytes.subarray(0, 16).equals(HEAD))
    return { reason: 'picture', message: 'The picture is not a PNG.' }
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  if (width === 0 || height === 0) return { reason: 'picture', message: 'The picture is empty.' }
  if (width * height <= MAX_PIXELS) return null
  const most = MAX_PIXELS.toLocaleString('en')
  const message =
    `The picture has ${width} × ${height} pixels; ${most} are compared at most. Watch regions, or a smaller ` +
    `viewport.`
  return { reason: 'limit', message }
}

/** The PNG signature, then an IHDR chunk of 13 bytes. */
const HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
