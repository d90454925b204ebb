import type { Request, Response } from 'playwright-core'
import type { OpenPage } from './open-page.ts'

/** Where the page's own frame went. */
export interface Navigation {
  /** The address that was asked for last; '' before the first. */
  readonly asked: string
  /**
   * The last answer that came, redirects aside, whether a document came of it or not: a file and 204 leave the page
   * where it was.
   */
  readonly answer: Response | null
  /** The answer that the document that is shown came with. */
  readonly last: Response | null
  /** `ERR_…` of a navigation that the page itself began later and that failed, when nothing came after it. */
  readonly refusal: string | null
  /** Set when the page loaded more than this many bytes. */
  readonly excess: number | null
}

/** Bytes, decoded, that one page may load with all its parts. */
export const MOST_PAGE_BYTES = 64 * 1024 * 1024

/** Follows the page's own frame from its first request on. */
export async function watchNavigation({ page, session }: OpenPage): Promise<Navigation> {
  const state: { -readonly [K in keyof Navigation]: Navigation[K] } = {
    asked: '',
    answer: null,
    last: null,
    refusal: null,
    excess: null,
  }
  const isOwn = (request: Request): boolean => {
    // A request of a worker belongs to no frame, and says so by throwing.
    try {
      return request.isNavigationRequest() && request.frame() === page.mainFrame()
    } catch {
      return false
    }
  }
  let shown = ''
  page.on('request', (request) => {
    if (!isOwn(request)) return
    state.asked = request.url()
    state.refusal = null
  })
  page.on('response', (response) => {
    const status = response.status()
    if (!isOwn(response.request()) || (status >= 300 && status <= 399)) return
    state.answer = response
    if (state.last === null && shown !== '' && isSamePage(response, shown)) state.last = response
  })
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return
    shown = frame.url()
    // An address that the page made up for itself belongs to no answer.
    if (state.answer !== null && isSamePage(state.answer, shown)) state.last = state.answer
  })
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText.replace('net::', '') ?? ''
    if (isOwn(request) && error !== 'ERR_ABORTED') state.refusal = error
  })
  let bytes = 0
  session.on('Network.dataReceived', ({ dataLength }) => {
    bytes += dataLength
    if (bytes <= MOST_PAGE_BYTES || state.excess !== null) return
    state.excess = MOST_PAGE_BYTES
    session.send('Page.stopLoading').catch(() => undefined)
  })
  await session.send('Network.enable')
  return state
}

/** The fragment is never sent. */
function isSamePage(response: Response, shown: string): boolean {
  return response.url().split('#', 1)[0] === shown.split('#', 1)[0]
}
