import { LOOK_LIMITS } from '../../schema/monitor/look-limits.ts'
import type { LookElement } from '../../schema/monitor/look.ts'
import type { SeenPage } from '../browser/look/look-page.ts'
import type { SeenElement } from '../browser/look/page-elements.ts'
import type { Shot } from '../browser/page/shot.ts'
import { alignReader } from '../extract/align/align-reader.ts'
import type { Place } from '../extract/align/align-tree.ts'
import type { Extractor } from '../extract/pool/extractor.ts'
import type { FetchedBody } from '../fetch/fetched.ts'

/** A document that a browser showed, as somebody sees it. */
export interface PageLook {
  readonly status: number
  /** The address of the document, after redirects. */
  readonly url: string
  readonly contentType: string | null
  readonly body: Uint8Array
  /** Null: there is no picture. */
  readonly shot: (Shot & { readonly png: Uint8Array }) | null
  readonly isCut: boolean
  readonly elements: readonly LookElement[]
  readonly covers: readonly { readonly element: number; readonly share_pct: number }[]
  readonly warnings: readonly string[]
}

interface LookPorts {
  readonly extractor: Extractor
  readonly signal: AbortSignal
}

/** Returns what somebody sees of a rendered page, with the place of each element in the HTML as rules read it. */
export async function lookOf(
  fetched: FetchedBody & { readonly seen?: SeenPage; readonly shots?: readonly Shot[] },
  { extractor, signal }: LookPorts,
  warnings: readonly string[],
): Promise<PageLook> {
  const { status, finalUrl: url, contentType, body, seen, shots = [] } = fetched
  const [first] = shots
  const shot = first?.png ? { ...first, png: first.png } : null
  const about = { status, url, contentType, body, shot, isCut: seen?.isCut ?? false }
  if (!seen) return { ...about, elements: [], covers: [], warnings: [...warnings, NOT_HTML] }
  const wanted = seen.elements.map(({ live }) => live ?? -1)
  // A copy: the body is kept, and a large one is moved to its thread.
  const page = { body: new Uint8Array(body), contentType, url }
  const read = await extractor.read(alignReader({ live: seen.live, wanted }), page, { signal })
  const listed = bounded(seen.elements.map((one, index) => placed(one, read.ok ? (read.read[index] ?? null) : null)))
  const more = [...(read.ok ? [] : [NOT_ALIGNED]), ...(listed.length < wanted.length ? [tooLong(listed.length)] : [])]
  const covers = seen.covers.filter(({ element }) => element < listed.length)
  return { ...about, elements: listed, covers, warnings: [...warnings, ...seen.warnings, ...more] }
}

function placed({ box, order, parent, tag, text, unreadable }: SeenElement, path: Place): LookElement {
  const why = unreadable ?? (path === null ? 'not_in_html' : null)
  return { box, order, parent, tag, text, path: path && [...path], unreadable: why }
}

/** Returns the first elements, as many as fit into an answer. A parent stands before its children. */
function bounded(elements: readonly LookElement[]): readonly LookElement[] {
  let bytes = 0
  for (const [index, element] of elements.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(element)) + 1
    if (bytes > LOOK_LIMITS.bytes - SLACK_BYTES) return elements.slice(0, index)
  }
  return elements
}

/** For the rest of an answer. */
const SLACK_BYTES = 64 * 1024

const NOT_HTML = 'The answer is not HTML, so the page has no elements to point at.'
const NOT_ALIGNED =
  'The HTML of the page could not be read in time, or is too complex, so no element is found in it again.'
const tooLong = (count: number): string =>
  `The list of elements would be longer than ${LOOK_LIMITS.bytes / 1_048_576} MiB; it has the first ${count}.`
