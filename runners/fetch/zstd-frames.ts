import zlib from 'node:zlib'

/** RFC 9659: a zstd frame on the web has a window of at most 8 MiB. Without the cap one frame may ask for 128 MiB. */
const PARAMS = { [zlib.constants.ZSTD_d_windowLogMax]: 23 }

/** A server that flushes makes a frame a flush, a hostile one a million empty frames: each costs a decoder. */
const MOST_FRAMES = 64

/**
 * Decodes a zstd body that may be several frames in a row (RFC 8878 §3.1). Node reads the first and drops the rest
 * without a word, which would show as a page that lost its end. Throws like the functions of `node:zlib`.
 */
export function zstdFrames(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const parts: Uint8Array[] = []
  let room = maxOutputLength
  for (let at = 0, frames = 0; at < bytes.length; frames++) {
    if (frames === MOST_FRAMES) throw new Error('too many zstd frames')
    const options = { params: PARAMS, info: true, maxOutputLength: Math.max(room, 1) }
    const frame = readFrame(zlib.zstdDecompressSync(bytes.subarray(at), options))
    parts.push(frame.output)
    at += frame.read
    room -= frame.output.length
    if (room < 0) throw Object.assign(new RangeError('too long'), { code: 'ERR_BUFFER_TOO_LARGE' })
  }
  const [only] = parts
  return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
}

/** What `info: true` gives, which the types do not know: the output, and the engine that counted how much it took. */
function readFrame(result: unknown): { output: Uint8Array; read: number } {
  if (typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result) {
    const { buffer, engine } = result
    const read = typeof engine === 'object' && engine !== null && 'bytesWritten' in engine ? engine.bytesWritten : 0
    if (buffer instanceof Uint8Array && typeof read === 'number' && read > 0) return { output: buffer, read }
  }
  throw new Error('zstd read nothing')
}
