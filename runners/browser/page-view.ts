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

/** Looks at a page from a world of its own, whose functions the page cannot replace. */
export interface PageView {
  /** Null while one document takes the place of another. Rejects when the page is gone; a page in an endless loop leaves it waiting. */
  state(): Promise<PageState | null>
  /** The document's HTML; null when it is longer than `most` characters. */
  html(most: number): Promise<string | null>
  /** The value of an expression, awaited. Rejects when the document is replaced meanwhile. */
  ask(expression: string): Promise<unknown>
}

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
    hasScripts: document.scripts.length > 0 || document.querySelector('iframe, frame, [onload], meta[http-equiv="refresh" i]') !== null,
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

  /** Undefined when the document was replaced meanwhile. */
  async function evaluate(expression: string): Promise<unknown> {
    try {
      const inWorld = await world()
      const { result } = await session.send('Runtime.evaluate', {
        expression,
        contextId: inWorld,
        returnByValue: true,
        awaitPromise: true,
      })
      return result.value
    } catch (error) {
      contextId = null
      if (!/context|frame|navigat/i.test(error instanceof Error ? error.message : '')) throw error
      return undefined
    }
  }

  return {
    async state() {
      return ((await evaluate(STATE)) as PageState | undefined) ?? null
    },
    async html(most) {
      for (let tries = 0; tries < 5; tries++) {
        const html = await evaluate(HTML(most))
        if (html !== undefined) return html as string | null
      }
      throw new Error('the document is replaced without end')
    },
    async ask(expression) {
      const value = await evaluate(expression)
      if (value === undefined) throw new Error('the document was replaced')
      return value
    },
  }
}
