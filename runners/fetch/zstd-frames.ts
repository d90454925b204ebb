import zlib from 'node:zlib'

/** RFC 9659: a zstd frame on the web has a window of at most 8 MiB. Without the cap one frame may request 128 MiB. */
const PARAMS = { [zlib.constants.ZSTD_d_windowLogMax]: 23 }

/**
 * Each frame costs a decoder. A server that flushes sends a frame per flush; a hostile one may send a million empty
 * frames.
 */
const MAX_FRAMES = 64

/**
 * Decodes a zstd body that may consist of several frames (RFC 8878 §3.1). Node reads the first and silently drops the
 * rest, so a page would lose its end. Throws like the functions of `node:zlib`.
 */
export function zstdFrames(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const parts: Uint8Array[] = []
  let room = maxOutputLength
  for (let at = 0, frames = 0; at < bytes.length; frames++) {
    if (frames === MAX_FRAMES) throw new Error('too many zstd frames')
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

/**
 * Reads the result of `info: true`, which the types do not include: the output, and the engine that counted the bytes
 * it read.
 */
function readFrame(result: unknown): { output: Uint8Array; read: number } {
  if (typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result) {
    const { buffer, engine } = result
    const read = typeof engine === 'object' && engine !== null && 'bytesWritten' in engine ? engine.bytesWritten : 0
    if (buffer instanceof Uint8Array && typeof read === 'number' && read > 0) return { output: buffer, read }
  }
  throw new Error('zstd decoded no bytes')
}
