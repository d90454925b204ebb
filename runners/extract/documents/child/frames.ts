/** A message between two processes: an object, and bytes. */
export interface Frame {
  readonly head: unknown
  /** It owns its buffer, so that it can be moved to a thread. */
  readonly body: Uint8Array
}

const LENGTHS = 8
const MOST_HEAD = 64 * 1024

/** Returns a message as bytes: the lengths of both parts, the object as JSON, and the bytes. */
export function frameOf(head: object, body: Uint8Array): readonly Uint8Array[] {
  const json = Buffer.from(JSON.stringify(head))
  const lengths = Buffer.alloc(LENGTHS)
  lengths.writeUInt32LE(json.length, 0)
  lengths.writeUInt32LE(body.byteLength, 4)
  return [lengths, json, body]
}

/** Puts messages together from what arrives. The other process may be a hostile one: it throws for a wrong message. */
export class FrameReader {
  readonly #mostBytes: number
  #chunks: Buffer[] = []
  #size = 0
  /** The bytes that arrived behind the last message. */
  #over = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Returns the messages that are whole with this chunk. To a reader that was busy, several arrive together. */
  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    for (let rest = chunk; rest.length > 0;) {
      const frame = this.#next(rest)
      if (!frame) break
      frames.push(frame)
      rest = rest.subarray(rest.length - this.#over)
    }
    return frames
  }

  #next(chunk: Buffer): Frame | null {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < LENGTHS) return null
    const [first] = this.#chunks
    const start = first && first.length >= LENGTHS ? first : this.#whole()
    const [headBytes, bodyBytes] = [start.readUInt32LE(0), start.readUInt32LE(4)]
    if (headBytes > MOST_HEAD || bodyBytes > this.#mostBytes) throw new TypeError('a message is too long')
    this.#over = this.#size - (LENGTHS + headBytes + bodyBytes)
    if (this.#over < 0) return null
    const head: unknown = JSON.parse(Buffer.from(this.#part(LENGTHS, headBytes)).toString('utf8'))
    const body = this.#part(LENGTHS + headBytes, bodyBytes)
    this.#chunks = []
    this.#size = 0
    return { head, body }
  }

  /** Copies once: a message may have 32 MB. */
  #part(from: number, length: number): Uint8Array {
    const part = new Uint8Array(length)
    let at = -from
    for (const chunk of this.#chunks) {
      const wanted = chunk.subarray(Math.max(0, -at), Math.max(0, Math.min(chunk.length, length - at)))
      part.set(wanted, Math.max(0, at))
      at += chunk.length
      if (at >= length) break
    }
    return part
  }

  #whole(): Buffer {
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }
}
