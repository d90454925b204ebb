import type { EgressProxy } from '../../../egress/egress-proxy.ts'
import type { RunFault } from '../../../schema/run/run-fault.ts'
import { navigationFault } from '../browser-faults.ts'
import type { Navigation } from './navigation.ts'
import type { OpenPage } from './open-page.ts'
import { untilRest, type Traffic } from './page-rest.ts'
import { createPageView, type PageView } from './page-view.ts'
import { bodyOf, goTo } from './render-page.ts'

/** A page at rest. */
interface SessionPage {
  readonly ok: true
  readonly url: string
  readonly status: number
  /** The document's HTML as UTF-8. */
  readonly body: Uint8Array
}

type SessionRead = SessionPage | { readonly ok: false; readonly fault: RunFault; readonly status: number | null }

/** One page of one browser context that goes from one address to the next, as a person does. */
export interface PageSession {
  /** Goes to an address and reads the page. `referer`: the page whose link it is. */
  open(url: string, referer?: string): Promise<SessionRead>
  /** Clicks an element of the page, waits until the page is at rest again, and reads it. Null: it is not there. */
  press(selector: string): Promise<SessionRead | null>
  /** Evaluates an expression in the page; undefined where it threw. */
  ask(expression: string): Promise<unknown>
}

interface SessionParts {
  readonly opened: OpenPage
  readonly navigation: Navigation
  readonly egress: EgressProxy
  readonly traffic: Traffic
}

const CLICK_MS = 5_000
/** A click may begin a navigation only after the page's own script has run. */
const AFTER_CLICK = { quietMs: 800, stableMs: 2_000, mostMs: 12_000 }

export function createPageSession({ opened, navigation, egress, traffic }: SessionParts): PageSession {
  const view: PageView = createPageView(opened.session)

  async function read(): Promise<SessionRead> {
    const { last } = navigation
    const host = URL.parse(navigation.asked)?.host ?? ''
    if (last === null) return { ok: false, fault: navigationFault('ERR_ABORTED', host, null), status: null }
    const document = await bodyOf(last, view, host)
    if (!document.ok) return { ok: false, fault: document.fault, status: last.status() }
    return { ok: true, url: opened.page.url(), status: last.status(), body: document.body }
  }

  return {
    async open(address, referer) {
      const url = new URL(address)
      const from = referer === undefined ? {} : { referer }
      const fault = await goTo({ request: {}, url, opened, navigation, egress, ...from })
      if (fault) return { ok: false, fault, status: navigation.answer?.status() ?? null }
      await untilRest(view, traffic)
      return read()
    },
    async press(selector) {
      const element = opened.page.locator(selector).first()
      try {
        await element.click({ timeout: CLICK_MS, noWaitAfter: true })
      } catch (error) {
        if (/Timeout \d+ms exceeded|not visible|not attached/.test(String(error))) return null
        throw error
      }
      await untilRest(view, traffic, AFTER_CLICK)
      return read()
    },
    async ask(expression) {
      const asked = await view.ask(expression)
      return asked.kind === 'value' ? asked.value : undefined
    },
  }
}
