import type { CDPSession } from 'playwright-core'
import { UNSENT_HEADERS } from '../../../egress/unsent-headers.ts'

/** What is changed of the requests that a page makes. */
interface PageRequests {
  /** The user's headers. Null: none. */
  readonly headers: Readonly<Record<string, string>> | null
  /** Whether images, fonts, video and sound are left out. */
  readonly withoutMedia: boolean
}

interface Paused {
  readonly requestId: string
  readonly resourceType: string
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
}

const MEDIA: ReadonlySet<string> = new Set(['Image', 'Font', 'Media'])
/** Everything: headers belong to every request of the target's origin. */
const ALL = [{ urlPattern: '*', requestStage: 'Request' as const }]
const OF_MEDIA = [...MEDIA].map((resourceType) => ({
  urlPattern: '*',
  resourceType: resourceType as 'Image',
  requestStage: 'Request' as const,
}))

/** A transparent picture of one pixel, as a GIF in base64. */
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

/** Returns the answer to a request for an image: the page learns that it was loaded, whichever origin it is of. */
const pixelFor = (origin = '*') => ({
  responseCode: 200,
  responseHeaders: [
    { name: 'content-type', value: 'image/gif' },
    { name: 'access-control-allow-origin', value: origin },
    { name: 'access-control-allow-credentials', value: 'true' },
    { name: 'cross-origin-resource-policy', value: 'cross-origin' },
  ],
  body: PIXEL,
})

/** Each request that is answered costs this process a round trip, so a page with more media than this loads them. */
const MOST_ANSWERED = 500

/** What is known of a page's requests. */
interface ChangedRequests {
  /** It asks for so many media that it is not spared them any more. */
  readonly asksForMany: boolean
}

/**
 * Sends the user's headers with every request that the page's own frame makes to the target's origin, and with no
 * other, and answers requests for media without asking anybody. A redirect or a picture elsewhere goes without the
 * headers. What is changed costs a round trip a request, so it is set up only for requests that can be changed.
 */
export async function changeRequests(
  session: CDPSession,
  target: URL,
  changes: PageRequests,
): Promise<ChangedRequests> {
  const own = Object.entries(changes.headers ?? {}).filter(([name]) => !UNSENT_HEADERS.has(name.toLowerCase()))
  const state = { asksForMany: false }
  if (own.length === 0 && !changes.withoutMedia) return state
  let answered = 0
  const withHeaders = headersFor(target, own)
  session.on('Fetch.requestPaused', (paused: Paused) => {
    const { requestId, resourceType, request } = paused
    const isSpared = changes.withoutMedia && MEDIA.has(resourceType)
    if (isSpared) state.asksForMany = ++answered > MOST_ANSWERED
    const sent =
      !isSpared || state.asksForMany
        ? session.send('Fetch.continueRequest', { requestId, headers: withHeaders(paused) })
        : resourceType === 'Image'
          ? session.send('Fetch.fulfillRequest', { requestId, ...pixelFor(request.headers['Origin']) })
          : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    sent.catch(() => undefined)
  })
  await session.send('Fetch.enable', { patterns: own.length > 0 ? ALL : OF_MEDIA })
  return state
}

type Header = { readonly name: string; readonly value: string }

/** Returns what gives the headers of a request. */
function headersFor(target: URL, own: readonly (readonly [string, string])[]): (paused: Paused) => Header[] {
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  const added = own.map(([name, value]) => ({ name, value }))
  return ({ request }) => {
    const current = Object.entries(request.headers).map(([name, value]) => ({ name, value }))
    const kept = current.filter(({ name }) => !names.has(name.toLowerCase()))
    const isOwn = URL.parse(request.url)?.origin === target.origin
    // A redirect keeps the headers that were added before it. So each request sets all of its headers, even where none
    // is added.
    return isOwn ? [...kept, ...added] : withoutAdded(current, own)
  }
}

function withoutAdded(headers: readonly Header[], own: readonly (readonly [string, string])[]): Header[] {
  const values = new Map(own.map(([name, value]) => [name.toLowerCase(), value]))
  return headers.filter(({ name, value }) => values.get(name.toLowerCase()) !== value)
}
