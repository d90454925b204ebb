import { isUtf8 } from 'node:buffer'
import { metaCharset } from '../html/meta-charset.ts'

export type TextKind = 'html' | 'xml' | 'json' | 'text'

interface Decoded {
  readonly text: string
  /** The WHATWG name in lower case, or `utf-32le`, `utf-32be`. */
  readonly encoding: string
  readonly warnings: readonly string[]
}

/**
 * The bytes in which a late `<meta>` is searched: browsers also re-decode when one comes after the first 1,024 bytes.
 */
const LATE_META_BYTES = 64 * 1024

/**
 * Decodes a body as browsers do. It uses the byte order mark, then the HTTP label, then the document's own declaration
 * (`<meta>`, the XML declaration), then the pattern of its bytes. A body without a declaration is UTF-8 where it is
 * valid UTF-8; otherwise HTML is windows-1252, the web's legacy default. An unknown label becomes UTF-8 with
 * replacement characters and a warning. Never throws.
 */
export function decode(body: Uint8Array, contentType: string | null, kind: TextKind): Decoded {
  const marked = byteOrderMark(body)
  if (marked !== null)
    return { text: decodeAs(body.subarray(marked.length), marked.encoding), encoding: marked.encoding, warnings: [] }
  const http = contentTypeCharset(contentType)
  if (http !== null) {
    const encoding = encodingOf(http)
    if (encoding !== null) return plain(body, encoding)
    const declared = declaredEncoding(body, kind)
    const warnings = [
      `The charset ${JSON.stringify(http.slice(0, 40))} of the Content-Type is not known; the answer was read as ` +
        `${declared ?? 'utf-8'}.`,
    ]
    return { ...plain(body, declared ?? 'utf-8'), warnings }
  }
  return plain(body, declaredEncoding(body, kind) ?? undeclaredEncoding(body, kind))
}

function plain(body: Uint8Array, encoding: string): Decoded {
  return { text: decodeAs(body, encoding), encoding, warnings: [] }
}

const MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-32be', [0x00, 0x00, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

function startsWith(body: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, i) => body[i] === byte)
}

function byteOrderMark(body: Uint8Array): { encoding: string; length: number } | null {
  const found = MARKS.find(([, bytes]) => startsWith(body, bytes))
  return found === undefined ? null : { encoding: found[0], length: found[1].length }
}

/** Returns the `charset` parameter of a content type, or null. */
export function contentTypeCharset(contentType: string | null): string | null {
  const found = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\s;"']*))/i.exec(contentType ?? '')
  const label = found?.[1] ?? found?.[2] ?? found?.[3]
  return label === undefined || label.trim() === '' ? null : label.trim()
}

/** Returns the WHATWG encoding of a label, or null. */
export function encodingOf(label: string): string | null {
  const name = label.trim().toLowerCase()
  if (/^utf-?32(le|be)?$/.test(name)) return name.endsWith('be') ? 'utf-32be' : 'utf-32le'
  if (name === 'x-user-defined') return 'windows-1252'
  try {
    return new TextDecoder(name).encoding
  } catch {
    return null
  }
}

function declaredEncoding(body: Uint8Array, kind: TextKind): string | null {
  if (kind === 'html') return htmlEncoding(body)
  return kind === 'json' ? wideEncoding(body, 0x7b) : (wideEncoding(body, 0x3c) ?? xmlEncoding(body))
}

function htmlEncoding(body: Uint8Array): string | null {
  const label =
    metaCharset(latin1(body.subarray(0, 1_024))) ??
    (isUtf8(body) ? null : metaCharset(latin1(body.subarray(0, LATE_META_BYTES))))
  return label === null ? null : notWide(encodingOf(label))
}

/** A declaration that was read byte by byte cannot be UTF-16: the WHATWG rule. */
function notWide(encoding: string | null): string | null {
  return encoding !== null && /^utf-(16|32)/.test(encoding) ? 'utf-8' : encoding
}

function xmlEncoding(body: Uint8Array): string | null {
  const label = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"'<>]*)["']/i.exec(latin1(body.subarray(0, 1_024)))?.[1]
  return label === undefined ? null : notWide(encodingOf(label))
}

/** Detects UTF-16 and UTF-32 without a mark by the zero bytes around the first character (XML 1.0 appendix F). */
function wideEncoding(body: Uint8Array, first: number): string | null {
  if (startsWith(body, [first, 0, 0, 0])) return 'utf-32le'
  if (startsWith(body, [0, 0, 0, first])) return 'utf-32be'
  if (startsWith(body, [first, 0]) && body[2] !== 0) return 'utf-16le'
  return startsWith(body, [0, first]) ? 'utf-16be' : null
}

function undeclaredEncoding(body: Uint8Array, kind: TextKind): string {
  return kind === 'xml' || kind === 'json' || isUtf8(body) ? 'utf-8' : 'windows-1252'
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

const DECODERS = new Map<string, InstanceType<typeof TextDecoder>>()

function decodeAs(body: Uint8Array, encoding: string): string {
  if (encoding.startsWith('utf-32')) return decodeUtf32(body, encoding === 'utf-32le')
  let decoder = DECODERS.get(encoding)
  if (decoder === undefined) {
    decoder = new TextDecoder(encoding, { ignoreBOM: true })
    DECODERS.set(encoding, decoder)
  }
  return decoder.decode(body)
}

function decodeUtf32(body: Uint8Array, little: boolean): string {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  let text = ''
  for (let at = 0; at + 4 <= body.byteLength; at += 4) {
    const point = view.getUint32(at, little)
    text += point > 0x10_ff_ff || (point >= 0xd8_00 && point <= 0xdf_ff) ? '�' : String.fromCodePoint(point)
  }
  return text
}
