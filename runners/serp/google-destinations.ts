/**
 * Google hides where its links lead (`/goto?url=…`), but the scripts of the same page know it. The page is untrusted:
 * only the contents of scripts are searched, everything is bounded, and what cannot be read is left out.
 */
const MAX_ENTRIES = 500
const LONGEST_ENTRY = 16_384
const LONGEST_URL = 8_192

/** Returns the token of a hidden link; null: it is none. It differs at each view. */
export function tokenOf(link: string): string | null {
  const found = /\/goto\?(?:[^#]*&)?url=([^&#]+)/.exec(link)?.[1]
  return found === undefined ? null : found.replace(/(?:=|%3[dD])+$/, '')
}

/** Returns the destinations of hidden links by their token. */
export function hiddenDestinations(scripts: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const script of scripts) {
    if (!script.includes('/goto?url')) continue
    fromAboutPages(script, found)
    fromNeighbours(script, found)
  }
  return found
}

const ABOUT = /\/search\/about-this-result\?[^"']{0,200}?req(?:\\u003d|\\x3d|=)([A-Za-z0-9_-]{16,16384})/g

/** Each result has a link to a page about it, whose parameter contains the link and its destination. */
function fromAboutPages(script: string, found: Map<string, string>): void {
  for (const [, encoded = ''] of script.matchAll(ABOUT)) {
    if (found.size >= MAX_ENTRIES) return
    const bytes = Buffer.from(encoded, 'base64url')
    const link = text(field(bytes, 1))
    const url = text(field(field(field(bytes, 3), 1024), 6))
    add(found, link, url)
  }
}

const NEIGHBOURS = /"(\/goto\?url(?:\\u003d|\\x3d|=)[^"\s]{16,4096})"[^\][]{0,500}\],\["(https?:\/\/[^"\s]{1,4096})"/g

function fromNeighbours(script: string, found: Map<string, string>): void {
  for (const [, link = '', url = ''] of script.matchAll(NEIGHBOURS)) {
    if (found.size >= MAX_ENTRIES) return
    add(found, unescaped(link), unescaped(url))
  }
}

function add(found: Map<string, string>, link: string | null, url: string | null): void {
  const token = link === null ? null : tokenOf(link)
  if (token === null || url === null || url.length > LONGEST_URL || !/^https?:\/\//i.test(url)) return
  if (!found.has(token)) found.set(token, url)
}

const unescaped = (value: string): string =>
  value.replace(/\\u00([0-9a-f]{2})|\\x([0-9a-f]{2})/gi, (_, four: string | undefined, two: string | undefined) =>
    String.fromCharCode(Number.parseInt(four ?? two ?? '20', 16)),
  )

const text = (bytes: Uint8Array | null): string | null =>
  bytes === null || bytes.length > LONGEST_ENTRY ? null : Buffer.from(bytes).toString('utf8')

/** Returns the first field of this number and of the type bytes in a protobuf message; null: there is none. */
function field(message: Uint8Array | null, number: number): Uint8Array | null {
  if (message === null) return null
  let at = 0
  while (at < message.length) {
    const key = varint(message, at)
    if (key === null) return null
    at = key.end
    const wire = key.value & 7
    if (wire === 0) at = varint(message, at)?.end ?? Infinity
    else if (wire === 1) at += 8
    else if (wire === 5) at += 4
    else if (wire === 2) {
      const length = varint(message, at)
      if (length === null || length.end + length.value > message.length) return null
      if (key.value >>> 3 === number) return message.subarray(length.end, length.end + length.value)
      at = length.end + length.value
    } else return null
  }
  return null
}

/** Numbers beyond 28 bits are read as wrong ones: none of what is looked for has them. */
function varint(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (let at = from; at < bytes.length && at < from + 10; at++) {
    const byte = bytes[at] ?? 0
    if (at < from + 4) value |= (byte & 0x7f) << (7 * (at - from))
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return null
}
