import { setTimeout as pause } from 'node:timers/promises'
import type { CDPSession } from 'playwright-core'

/** What a page is like at a moment. */
export interface PageState {
  /** The document was read to its end. */
  readonly isParsed: boolean
  /** Images and frames too. */
  readonly isLoaded: boolean
  readonly hasScripts: boolean
  /** Changes of the document since it was first looked at. */
  readonly mutations: number
}

/** What came of looking: a document that took the place of another took the answer with it; `threw`: in the page. */
export type Asked =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'threw'; readonly message: string }

/** Looks at a page from a world of its own, whose functions the page cannot replace. */
export interface PageView {
  /**
   * Null while one document takes the place of another. Rejects when the page is gone; a page in an endless loop leaves
   * it waiting.
   */
  state(): Promise<PageState | null>
  /** The document's HTML; the value is null when it is longer than `most` characters. */
  html(most: number): Promise<Asked>
  /**
   * The value of an expression, awaited; `replaced` when one document after another takes the place of the one that was
   * asked.
   */
  ask(expression: string): Promise<Asked>
}

const MOST_TRIES = 5
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

/** A document that was replaced took its worlds with it: another one is made at the next look. */
export function createPageView(session: CDPSession): PageView {
  let contextId: number | null = null

  async function world(): Promise<number> {
    if (contextId !== null) return contextId
    const { frameTree } = await session.send('Page.getFrameTree')
    const made = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'tidemark' })
    contextId = made.executionContextId
    return contextId
  }

  async function evaluate(expression: string): Promise<Asked> {
    try {
      const inWorld = await world()
      const { result, exceptionDetails: thrown } = await session.send('Runtime.evaluate', {
        expression,
        contextId: inWorld,
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
      if (asked.kind !== 'replaced' || tries === MOST_TRIES) return asked
      await pause(BETWEEN_TRIES_MS)
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
