import type { CDPSession, Page } from 'playwright-core'
import { LOOK_LIMITS } from '../../../schema/monitor/look-limits.ts'
import { AWAIT_FONTS } from '../page/capture.ts'
import { PAGE_SIZE, type PageSize } from '../page/page-boxes.ts'
import type { PageView } from '../page/page-view.ts'
import { tallestShot } from '../page/shot.ts'
import { type PageElements, pageElements } from './page-elements.ts'
import { nodesOf, STYLES } from './snapshot.ts'

/** What a look sees besides the document. */
export interface SeenPage extends PageElements {
  /** The page is taller than its picture. */
  readonly isCut: boolean
}

interface LookedAt {
  readonly page: Page
  readonly session: CDPSession
  readonly view: PageView
}

/**
 * Stops the scripts of a page at rest, and its animations at their end, as pictures stop them. So the document, the
 * elements and the picture are of the same moment, whatever the page does.
 */
export async function holdStill({ session, view }: Omit<LookedAt, 'page'>): Promise<void> {
  await view.ask(AWAIT_FONTS)
  await session.send('Emulation.setScriptExecutionDisabled', { value: true })
  await view.ask(END_ANIMATIONS)
}

/** Lists the elements of a page that is held still, whose document is `html`. */
export async function seePage({ page, session, view }: LookedAt, html: Uint8Array): Promise<SeenPage> {
  const asked = await view.ask(PAGE_SIZE)
  const size = asked.kind === 'value' ? (asked.value as PageSize | null) : null
  if (size === null) return { ...NOTHING, warnings: [NO_BODY] }
  const tallest = tallestShot(size.width)
  const isCut = size.height > tallest
  const counted = await view.ask(COUNT)
  const count = counted.kind === 'value' ? Number(counted.value) : 0
  if (count > MOST_ELEMENTS) return { ...NOTHING, isCut, warnings: [tooLarge(count)] }
  const snapshot = await session.send('DOMSnapshot.captureSnapshot', {
    computedStyles: [...STYLES],
    includePaintOrder: true,
  })
  const { scrollOffsetX: left = 0, scrollOffsetY: top = 0, nodes: all } = snapshot.documents[0] ?? { nodes: {} }
  const window = page.viewportSize() ?? { width: 0, height: 0 }
  const seen = pageElements(nodesOf(snapshot, LOOK_LIMITS.nodes), {
    picture: [0, 0, size.width, Math.min(size.height, tallest)],
    view: [left, top, left + window.width, top + window.height],
  })
  const walked = all.nodeType?.length ?? 0
  const after = await view.html(html.length)
  const isSame = after.kind === 'value' && typeof after.value === 'string' && isText(after.value, html)
  return {
    ...seen,
    isCut,
    warnings: [
      ...seen.warnings,
      ...(walked > LOOK_LIMITS.nodes ? [notWalked(walked)] : []),
      ...(isSame ? [] : [MOVED]),
    ],
  }
}

const isText = (text: string, bytes: Uint8Array): boolean =>
  Buffer.byteLength(text) === bytes.length && Buffer.compare(Buffer.from(text), bytes) === 0

/** A document with more elements is not copied out of the browser. */
const MOST_ELEMENTS = 100_000
const NOTHING: Omit<SeenPage, 'warnings'> = {
  elements: [],
  covers: [],
  live: { parents: [], tags: [], marks: [] },
  isCut: false,
}

const NO_BODY = 'The document has no body, so its elements are not listed.'
const MOVED =
  'The page changed between its picture and its document. An element may show another text than a rule reads.'
const number = (value: number): string => value.toLocaleString('en')
const tooLarge = (count: number): string =>
  `The page has ${number(count)} elements; of a page with more than ${number(MOST_ELEMENTS)} none are listed. Rules ` +
  'read it all the same.'
const notWalked = (count: number): string =>
  `The page has ${number(count)} nodes; elements among the first ${number(LOOK_LIMITS.nodes)} are listed.`

// Source text, because it runs in the page: there is no `document` in these types.
const COUNT = `document.getElementsByTagName('*').length`
const END_ANIMATIONS = `(() => {
  for (const animation of document.getAnimations().slice(0, 5000)) {
    try { animation.finish() } catch { animation.cancel() }
  }
})()`
