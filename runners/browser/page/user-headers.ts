import type { CDPSession } from 'playwright-core'
import { NOT_THE_USERS } from '../../fetch/request-headers.ts'

/**
 * Sends the user's headers with every request to the target's origin that the page's own frame makes, and with no
 * other: a redirect or a picture elsewhere goes without. Costs a round trip a request, so it is set up only where there
 * are headers.
 */
export async function sendUserHeaders(
  session: CDPSession,
  target: URL,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const own = Object.entries(headers).filter(([name]) => !NOT_THE_USERS.has(name.toLowerCase()))
  if (own.length === 0) return
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  const added = own.map(([name, value]) => ({ name, value }))
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const theirs = Object.entries(request.headers).map(([name, value]) => ({ name, value }))
    const kept = theirs.filter(({ name }) => !names.has(name.toLowerCase()))
    const isOwn = URL.parse(request.url)?.origin === target.origin
    // A redirect takes along what was added before it, so each request says all of its headers, also where none is
    // added.
    const sent = isOwn ? [...kept, ...added] : withoutAdded(theirs, own)
    session.send('Fetch.continueRequest', { requestId, headers: sent }).catch(() => undefined)
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] })
}

type Header = { readonly name: string; readonly value: string }

function withoutAdded(headers: readonly Header[], own: readonly (readonly [string, string])[]): Header[] {
  const values = new Map(own.map(([name, value]) => [name.toLowerCase(), value]))
  return headers.filter(({ name, value }) => values.get(name.toLowerCase()) !== value)
}
