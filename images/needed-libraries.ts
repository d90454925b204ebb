import { type FileHandle, open } from 'node:fs/promises'

/** Numbers of the ELF format, in files of 64 bits. */
const [LOAD, DYNAMIC] = [1, 2]
const [NEEDED, STRING_TABLE] = [1n, 5n]
const [ELF, HEADER_BYTES, SEGMENT_BYTES, ENTRY_BYTES] = ['\x7fELF', 64, 56, 16]

interface Segment {
  readonly type: number
  readonly offset: number
  readonly address: number
  readonly size: number
}

/**
 * Returns the names of the shared libraries that a program or library loads at its start, such as `libc.so.6`; null
 * when the file is neither. It reads the file, so that it may be one for another processor.
 */
export async function neededLibraries(path: string): Promise<readonly string[] | null> {
  await using file = await open(path)
  const header = await bytesAt(file, 0, HEADER_BYTES)
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 4) !== ELF) return null
  const count = header.readUInt16LE(56)
  const table = await bytesAt(file, Number(header.readBigUInt64LE(32)), count * SEGMENT_BYTES)
  const segments = Array.from({ length: count }, (_, n) => segmentAt(table, n * SEGMENT_BYTES))
  const dynamic = segments.find(({ type }) => type === DYNAMIC)
  if (dynamic === undefined) return []
  const entries = await bytesAt(file, dynamic.offset, dynamic.size)
  const needed: number[] = []
  let strings = 0
  for (let at = 0; at + ENTRY_BYTES <= entries.length; at += ENTRY_BYTES) {
    const [tag, value] = [entries.readBigInt64LE(at), Number(entries.readBigUInt64LE(at + 8))]
    if (tag === NEEDED) needed.push(value)
    if (tag === STRING_TABLE) strings = value
  }
  const names = segments.find(
    ({ type, address, size }) => type === LOAD && strings >= address && strings < address + size,
  )
  if (names === undefined) return []
  const start = strings - names.address + names.offset
  return Promise.all(needed.map((at) => textAt(file, start + at)))
}

const segmentAt = (table: Buffer, at: number): Segment => ({
  type: table.readUInt32LE(at),
  offset: Number(table.readBigUInt64LE(at + 8)),
  address: Number(table.readBigUInt64LE(at + 16)),
  size: Number(table.readBigUInt64LE(at + 32)),
})

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** No name of a library is longer. */
const LONGEST = 256

async function textAt(file: FileHandle, position: number): Promise<string> {
  const bytes = await bytesAt(file, position, LONGEST)
  return bytes.toString('latin1', 0, bytes.indexOf(0))
}
