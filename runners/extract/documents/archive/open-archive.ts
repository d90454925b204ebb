import { crc32, inflateRawSync } from 'node:zlib'
import { DOCUMENT_LIMITS } from '../document-limits.ts'
import { damaged, encrypted, quoted, tooLarge, tooMany } from '../refused-document.ts'

/** A ZIP archive in memory. An entry is unpacked when it is read. */
export interface Archive {
  has(name: string): boolean
  /** Returns an entry, whole. Throws a `RefusedDocument` where it is missing or damaged. */
  read(name: string): Buffer
}

interface Entry {
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  /** Where its local header begins. */
  readonly at: number
}

const END = 0x06054b50
const END_BYTES = 22
const LONGEST_COMMENT = 65_535
const CENTRAL = 0x02014b50
const CENTRAL_BYTES = 46
const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const IS_ENCRYPTED = 1
/** A number that stands elsewhere: the archive is one of over 4 GB or 65,534 entries. */
const ELSEWHERE = [0xffff, 0xffffffff]

/**
 * Opens an archive by its directory, which says how much it unpacks to: no entry is unpacked beyond that, and each is
 * compared with its checksum, so that a cut file is not taken for a whole one. Packages for ZIP unpack without a bound
 * (mammoth's jszip), or compare no checksum (fflate).
 */
export function openArchive(bytes: Buffer): Archive {
  const entries = directoryOf(bytes)
  const unpacked = [...entries.values()].reduce((sum, { size }) => sum + size, 0)
  if (unpacked > DOCUMENT_LIMITS.unpackedBytes) throw tooLarge('unpackedBytes')
  return {
    has: (name) => entries.has(name),
    read(name) {
      const entry = entries.get(name)
      if (entry === undefined) throw damaged(`its archive has no ${quoted(name)}`)
      return unpack(bytes, name, entry)
    },
  }
}

function directoryOf(bytes: Buffer): ReadonlyMap<string, Entry> {
  const end = endOf(bytes)
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  if (count > DOCUMENT_LIMITS.entries || ELSEWHERE.includes(at)) throw tooMany('entries')
  const entries = new Map<string, Entry>()
  for (let index = 0; index < count; index += 1) {
    if (at + CENTRAL_BYTES > bytes.length || bytes.readUInt32LE(at) !== CENTRAL)
      throw damaged('the directory of its archive is cut')
    const nameBytes = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes)
    if ((bytes.readUInt16LE(at + 8) & IS_ENCRYPTED) !== 0) throw encrypted('archive')
    if (entries.has(name)) throw damaged('its archive has two entries of one name')
    entries.set(name, entryAt(bytes, at))
    at += CENTRAL_BYTES + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

const entryAt = (bytes: Buffer, at: number): Entry => ({
  method: bytes.readUInt16LE(at + 10),
  crc: bytes.readUInt32LE(at + 16),
  packed: bytes.readUInt32LE(at + 20),
  size: bytes.readUInt32LE(at + 24),
  at: bytes.readUInt32LE(at + 42),
})

function endOf(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - END_BYTES - LONGEST_COMMENT)
  for (let at = bytes.length - END_BYTES; at >= first; at -= 1) if (bytes.readUInt32LE(at) === END) return at
  throw damaged('its archive has no end, as one that was not received whole')
}

function unpack(bytes: Buffer, name: string, { method, crc, packed, size, at }: Entry): Buffer {
  const isThere = at + LOCAL_BYTES <= bytes.length && bytes.readUInt32LE(at) === LOCAL
  const from = isThere ? at + LOCAL_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28) : Infinity
  if (from + packed > bytes.length) throw damaged(`${quoted(name)} in its archive is cut`)
  const data = bytes.subarray(from, from + packed)
  const whole = method === 0 ? data : inflated(data, { method, size, name })
  if (whole.length !== size || crc32(whole) !== crc)
    throw damaged(`${quoted(name)} in its archive has a wrong checksum`)
  return whole
}

function inflated(data: Buffer, { method, size, name }: Pick<Entry, 'method' | 'size'> & { name: string }): Buffer {
  if (method !== 8) throw damaged(`${quoted(name)} in its archive is packed in an unknown way`)
  try {
    // It throws where the entry has more than the directory says.
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) })
  } catch {
    throw damaged(`${quoted(name)} in its archive cannot be unpacked`)
  }
}
