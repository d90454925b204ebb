import type { CDPSession } from 'playwright-core'
import { UNSENT_HEADERS } from '../../../egress/unsent-headers.ts'

/**
 * Sends the user's headers with every request that the page's own frame makes to the target's origin, and with no
 * other. A redirect or a picture elsewhere goes without them. It costs a round trip per request, so it is set up only
 * where there are headers.
 */
export async function sendUserHeaders(
  session: CDPSession,
  target: URL,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const own = Object.entries(headers).filter(([name]) => !UNSENT_HEADERS.has(name.toLowerCase()))
  if (own.length === 0) return
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  const added = own.map(([name, value]) => ({ name, value }))
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const current = Object.entries(request.headers).map(([name, value]) => ({ name, value }))
    const kept = current.filter(({ name }) => !names.has(name.toLowerCase()))
    const isOwn = URL.parse(request.url)?.origin === target.origin
    // A redirect keeps the headers that were added before it. So each request sets all of its headers, even where none
    // is added.
    const sent = isOwn ? [...kept, ...added] : withoutAdded(current, own)
    session.send('Fetch.continueRequest', { requestId, headers: sent }).catch(() => undefined)
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] })
}

type Header = { readonly name: string; readonly value: string }

function withoutAdded(headers: readonly Header[], own: readonly (readonly [string, string])[]): Header[] {
  const values = new Map(own.map(([name, value]) => [name.toLowerCase(), value]))
  return headers.filter(({ name, value }) => values.get(name.toLowerCase()) !== value)
}
