import type { CDPSession } from 'playwright-core'
import { sleep } from '../../../concurrency/loops/sleep.ts'

/** The state of a page at one moment. */
export interface PageState {
  /** The document was parsed to its end. */
  readonly isParsed: boolean
  /** Images and frames are loaded too. */
  readonly isLoaded: boolean
  readonly hasScripts: boolean
  /** Changes of the document since the first call. */
  readonly mutations: number
}

/**
 * The result of an evaluation. `replaced`: the document was replaced before it returned; `threw`: an exception in the
 * page.
 */
type Asked =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'threw'; readonly message: string }

/** Reads a page from an isolated JavaScript world, whose functions the page cannot replace. */
export interface PageView {
  /**
   * Returns null while one document replaces another. Rejects when the page is gone. Does not resolve while the page is
   * in an endless loop.
   */
  state(): Promise<PageState | null>
  /** Returns the document's HTML. The value is null when it is longer than `most` characters. */
  html(most: number): Promise<Asked>
  /** Returns the awaited value of an expression; `replaced` when the documents keep being replaced. */
  ask(expression: string): Promise<Asked>
}

const MAX_TRIES = 5
const BETWEEN_TRIES_MS = 100

const STATE = `(() => {
  const root = document.documentElement
  if (!globalThis.watched) {
    globalThis.watched = { document, mutations: 0 }
    const seen = globalThis.watched
    new MutationObserver((records) => { seen.mutations += records.length })
      .observe(document, { subtree: true, childList: true, characterData: true })
  }
  return {
    isParsed: document.readyState !== 'loading',
    isLoaded: document.readyState === 'complete',
    hasScripts: document.scripts.length > 0 ||
      document.querySelector('iframe, frame, [onload], meta[http-equiv="refresh" i]') !== null,
    mutations: globalThis.watched.mutations + (root ? 0 : -1),
  }
})()`

const HTML = (most: number): string => `(() => {
  const type = document.doctype
  const head = type ? '<!DOCTYPE ' + type.name + (type.publicId ? ' PUBLIC "' + type.publicId + '"' : '') +
    (type.systemId ? (type.publicId ? '' : ' SYSTEM') + ' "' + type.systemId + '"' : '') + '>' : ''
  const html = head + (document.documentElement ? document.documentElement.outerHTML : '')
  return html.length > ${most} ? null : html
})()`

/** Creates the view. A replaced document takes its isolated world with it, so the next call creates another. */
export function createPageView(session: CDPSession): PageView {
  let contextId: number | null = null

  async function isolatedWorld(): Promise<number> {
    if (contextId !== null) return contextId
    const { frameTree } = await session.send('Page.getFrameTree')
    const made = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'tidemark' })
    contextId = made.executionContextId
    return contextId
  }

  async function evaluate(expression: string): Promise<Asked> {
    try {
      const inContext = await isolatedWorld()
      const { result, exceptionDetails: thrown } = await session.send('Runtime.evaluate', {
        expression,
        contextId: inContext,
        returnByValue: true,
        awaitPromise: true,
      })
      if (thrown) return { kind: 'threw', message: thrown.exception?.description ?? thrown.text }
      return { kind: 'value', value: result.value }
    } catch (error) {
      contextId = null
      const text = error instanceof Error ? error.message : ''
      if (/has been closed/i.test(text) || !/context|frame|navigat|promise was collected/i.test(text)) throw error
      return { kind: 'replaced' }
    }
  }

  async function ask(expression: string): Promise<Asked> {
    for (let tries = 1; ; tries++) {
      const asked = await evaluate(expression)
      if (asked.kind !== 'replaced' || tries === MAX_TRIES) return asked
      await sleep(BETWEEN_TRIES_MS)
    }
  }

  return {
    async state() {
      const asked = await evaluate(STATE)
      return asked.kind === 'value' ? (asked.value as PageState) : null
    },
    html: (most) => ask(HTML(most)),
    ask,
  }
}
