import type { Request, Response } from 'playwright-core'
import type { OpenPage } from './open-page.ts'

/** The navigation of the page's main frame. */
export interface Navigation {
  /** The address that was requested last; '' before the first. */
  readonly asked: string
  /**
   * The last response, redirects aside, even one without a document: a download and a 204 leave the page where it was.
   */
  readonly answer: Response | null
  /** The response of the document that is shown. */
  readonly last: Response | null
  /** The `ERR_…` of a later navigation that the page itself began and that failed, when no other followed. */
  readonly refusal: string | null
  /** Requests for a document of the main frame, redirects among them. */
  readonly requests: number
  /** Set when the page loaded more than this many bytes. */
  readonly excess: number | null
}

/** Decoded bytes that one page may load with all its resources. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024

/** Records the navigation of the page's main frame from its first request on. */
export async function watchNavigation({ page, session }: OpenPage): Promise<Navigation> {
  const state: { -readonly [K in keyof Navigation]: Navigation[K] } = {
    asked: '',
    answer: null,
    last: null,
    refusal: null,
    requests: 0,
    excess: null,
  }
  const isMainFrame = (request: Request): boolean => {
    // A request of a worker belongs to no frame; `frame()` throws for it.
    try {
      return request.isNavigationRequest() && request.frame() === page.mainFrame()
    } catch {
      return false
    }
  }
  let shown = ''
  page.on('request', (request) => {
    if (!isMainFrame(request)) return
    state.asked = request.url()
    state.requests += 1
    state.refusal = null
  })
  page.on('response', (response) => {
    const status = response.status()
    if (!isMainFrame(response.request()) || (status >= 300 && status <= 399)) return
    state.answer = response
    if (state.last === null && shown !== '' && isSamePage(response, shown)) state.last = response
  })
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return
    shown = frame.url()
    // An address that a script set (history API) belongs to no response.
    if (state.answer !== null && isSamePage(state.answer, shown)) state.last = state.answer
  })
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText.replace('net::', '') ?? ''
    if (isMainFrame(request) && error !== 'ERR_ABORTED') state.refusal = error
  })
  let bytes = 0
  session.on('Network.dataReceived', ({ dataLength }) => {
    bytes += dataLength
    if (bytes <= MAX_PAGE_BYTES || state.excess !== null) return
    state.excess = MAX_PAGE_BYTES
    session.send('Page.stopLoading').catch(() => undefined)
  })
  await session.send('Network.enable')
  return state
}

/** Returns whether the page goes on, or went on, from this document to another. */
export const isLeft = ({ last, asked }: Navigation, from: Response): boolean =>
  last !== from || !isSamePage(from, asked)

/** Returns whether both are the same page. The fragment is never sent, so it does not count. */
function isSamePage(response: Response, shown: string): boolean {
  return response.url().split('#', 1)[0] === shown.split('#', 1)[0]
}
