import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { errorCode } from '../../egress/egress-failure.ts'
import { tooLarge, undecodable } from './fetch-faults.ts'
import { zstdFrames } from './zstd-frames.ts'

export type Decoded =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly fault: RunFault }

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
// zstd unpacks 10 MiB in under 9 ms, so it has no need of the pool.
const zstd: Decoder = {
  now: (bytes, options) => zstdFrames(bytes, options.maxOutputLength),
  later: async (bytes, options) => zstdFrames(bytes, options.maxOutputLength),
}

const MOST_LAYERS = 2

/**
 * Small bodies are decoded here and now (50 µs for a page of 20 KB, a third of what a trip to the thread pool costs)
 * into at most this many bytes; what turns out larger is begun again on the pool, where 10 MiB do not hold up anybody
 * else's check.
 */
const NOW_WIRE_BYTES = 64 * 1024
const NOW_BODY_BYTES = 512 * 1024

/**
 * Undoes the content encodings of a body, never yielding more than `maxBytes`, however small the body was on the wire.
 */
export async function decodeBody(wire: Uint8Array, encodings: string, maxBytes: number): Promise<Decoded> {
  const layers = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (layers.length > MOST_LAYERS) return { ok: false, fault: undecodable('is encoded more than twice over') }
  let body = wire
  for (const name of layers.toReversed()) {
    const decoder = decoderFor(name, body)
    if (decoder === null)
      return {
        ok: false,
        fault: undecodable(`has the content encoding ${nameable(name)}, which is not one that was asked for`),
      }
    const decoded = await decodeLayer(decoder, body, maxBytes)
    if (!decoded.ok) return decoded
    body = decoded.body
  }
  return { ok: true, body }
}

function decoderFor(name: string, body: Uint8Array): Decoder | null {
  if (name === 'gzip' || name === 'x-gzip') return gzip
  if (name === 'zstd') return zstd
  // `deflate` means zlib's format, but servers that send the bare stream have been with us always. The header's
  // checksum tells.
  if (name === 'deflate') return isZlib(body) ? inflate : inflateRaw
  return null
}

function isZlib(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

async function decodeLayer(decoder: Decoder, bytes: Uint8Array, maxBytes: number): Promise<Decoded> {
  try {
    const now =
      bytes.length <= NOW_WIRE_BYTES ? decodeNow(decoder.now, bytes, Math.min(maxBytes, NOW_BODY_BYTES)) : null
    return { ok: true, body: now ?? (await decoder.later(bytes, { maxOutputLength: maxBytes })) }
  } catch (error) {
    if (isTooLong(error)) return { ok: false, fault: tooLarge('decoded', maxBytes) }
    return { ok: false, fault: undecodable('is cut off, or broken in its content encoding') }
  }
}

/** Null when the body is longer than can be decoded here. */
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

/** Encodings that exist and are not read here. Other names are not repeated: a header may hold anything. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(['br', 'compress', 'dcb', 'dcz', 'exi'])

function nameable(name: string): string {
  return KNOWN_NAMES.has(name) ? `"${name}"` : 'of an unknown name'
}
