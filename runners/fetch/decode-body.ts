import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { errorCode } from '../../egress/egress-failure.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { BodyRoom } from './body-room.ts'
import { BROKEN, tooLarge, unreadEncoding } from './fetch-faults.ts'
import { zstdFrames } from './zstd-frames.ts'

type Decoded =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly fault: RunFault; readonly isBrotli?: boolean }

interface DecodeOptions {
  readonly maxOutputLength: number
}

interface Decoder {
  readonly now: (bytes: Uint8Array, options: DecodeOptions) => Uint8Array
  readonly later: (bytes: Uint8Array, options: DecodeOptions) => Promise<Uint8Array>
}

const later = promisify<Uint8Array, DecodeOptions, Uint8Array>
const gzip: Decoder = { now: zlib.gunzipSync, later: later(zlib.gunzip) }
const inflate: Decoder = { now: zlib.inflateSync, later: later(zlib.inflate) }
const inflateRaw: Decoder = { now: zlib.inflateRawSync, later: later(zlib.inflateRaw) }
// zstd decompresses 10 MiB in under 9 ms, so it does not need the thread pool.
const zstd: Decoder = {
  now: (bytes, options) => zstdFrames(bytes, options.maxOutputLength),
  later: async (bytes, options) => zstdFrames(bytes, options.maxOutputLength),
}

const MAX_LAYERS = 2

/**
 * Limits for decoding on the event loop. A page of 20 KB takes 50 µs, a third of the cost of a round trip to the thread
 * pool. A body that decodes to more than NOW_BODY_BYTES is started again on the pool, where 10 MiB do not delay other
 * checks.
 */
const NOW_WIRE_BYTES = 64 * 1024
const NOW_BODY_BYTES = 512 * 1024

/**
 * Undoes the content encodings of a body. The result never exceeds `maxBytes`, however small the body was on the wire.
 * A body that may become large waits for `room`.
 */
export async function decodeBody(
  wire: Uint8Array,
  encodings: string,
  maxBytes: number,
  room?: BodyRoom,
): Promise<Decoded> {
  const layers = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (layers.length > MAX_LAYERS) return { ok: false, fault: BROKEN('is encoded more than twice over') }
  let body = wire
  for (const name of layers.toReversed()) {
    const decoder = decoderFor(name, body)
    if (decoder === null) return { ok: false, fault: unreadEncoding(nameable(name)), isBrotli: name === 'br' }
    const decoded = await decodeLayer(decoder, body, { maxBytes, room })
    if (!decoded.ok) return decoded
    body = decoded.body
  }
  return { ok: true, body }
}

function decoderFor(name: string, body: Uint8Array): Decoder | null {
  if (name === 'gzip' || name === 'x-gzip') return gzip
  if (name === 'zstd') return zstd
  // `deflate` means zlib's format, but many servers send the bare stream. The checksum in the header distinguishes
  // them.
  if (name === 'deflate') return isZlib(body) ? inflate : inflateRaw
  return null
}

function isZlib(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

interface DecodeContext {
  readonly maxBytes: number
  readonly room: BodyRoom | undefined
}

async function decodeLayer(decoder: Decoder, bytes: Uint8Array, { maxBytes, room }: DecodeContext): Promise<Decoded> {
  try {
    const now =
      bytes.length <= NOW_WIRE_BYTES ? decodeNow(decoder.now, bytes, Math.min(maxBytes, NOW_BODY_BYTES)) : null
    if (now) return { ok: true, body: now }
    // It may decode to the largest body, however small it was on the wire.
    await room?.take()
    return { ok: true, body: await decoder.later(bytes, { maxOutputLength: maxBytes }) }
  } catch (error) {
    if (isTooLong(error)) return { ok: false, fault: tooLarge('decoded', maxBytes) }
    return { ok: false, fault: BROKEN('is cut off, or broken in its content encoding') }
  }
}

/** Returns null when the body is longer than may be decoded here. */
function decodeNow(decode: Decoder['now'], bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  try {
    return decode(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if (isTooLong(error)) return null
    throw error
  }
}

function isTooLong(error: unknown): boolean {
  return errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
}

/** Encodings that exist and are not supported here. Other names are not repeated: a header may contain anything. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(['br', 'compress', 'dcb', 'dcz', 'exi'])

function nameable(name: string): string {
  return KNOWN_NAMES.has(name) ? `"${name}"` : 'of an unknown name'
}
