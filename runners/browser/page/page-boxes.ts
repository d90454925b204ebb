/** A rectangle in CSS pixels of the full page. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The size of the laid-out page. `widest` includes what horizontal scrolling reaches. */
export interface PageSize {
  readonly width: number
  readonly widest: number
  readonly height: number
}

/** Returns the part of a box that is on the page, in whole pixels as pictures need. Null when there is none. */
export function clipOf(box: Box, { widest, height }: PageSize): Box | null {
  const x = Math.max(0, Math.round(box.x))
  const y = Math.max(0, Math.round(box.y))
  const clip = {
    x,
    y,
    width: Math.min(Math.max(1, Math.round(box.width)), Math.floor(widest) - x),
    height: Math.min(Math.max(1, Math.round(box.height)), Math.floor(height) - y),
  }
  return clip.width < 1 || clip.height < 1 ? null : clip
}

// Source text, because it runs in the page: there is no `document` in these types.

/** Evaluates to `PageSize`; null where there is no body. */
export const PAGE_SIZE = `(() => {
  const { documentElement: root, body } = document
  if (!root || !body) return null
  return {
    width: root.clientWidth,
    widest: Math.max(root.scrollWidth, body.scrollWidth, root.clientWidth),
    height: Math.max(root.scrollHeight, body.scrollHeight, root.clientHeight, 1),
  }
})()`

/** Evaluates to the box of the first element that a selector finds; null when none is visible. */
export const elementBox = (selector: string): string => `(() => {
  let element = null
  try { element = document.querySelector(${JSON.stringify(selector)}) } catch { return null }
  if (!element) return null
  const { left, top, width, height } = element.getBoundingClientRect()
  if (width < 1 || height < 1 || getComputedStyle(element).visibility === 'hidden') return null
  return { x: Math.max(0, left + scrollX), y: Math.max(0, top + scrollY), width, height }
})()`

/**
 * Hides what the selectors find with an inline style, which no rule of the page outranks, whatever the elements
 * contain. Their space in the layout stays. Evaluates to the selectors that a style sheet accepts, as the browser
 * serializes them: one that it cannot parse must not invalidate the others.
 */
export const HIDE = (selectors: readonly string[]): string => `(${JSON.stringify(selectors)}).flatMap((selector) => {
  try {
    for (const { style } of document.querySelectorAll(selector)) {
      style?.setProperty('transition', 'none', 'important')
      style?.setProperty('opacity', '0', 'important')
      style?.setProperty('visibility', 'hidden', 'important')
    }
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(selector + ' {}')
    const [rule] = sheet.cssRules
    return sheet.cssRules.length === 1 && rule.selectorText ? [rule.selectorText] : []
  } catch { return [] }
})`
