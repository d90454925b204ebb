import type { Page } from 'playwright-core'
import type { RunFault } from '../../schema/run-fault.ts'
import type { VisualConfig } from '../../schema/visual-config.ts'
import type { PageView } from './page-view.ts'
import { LARGEST_SHOT_BYTES, tallestShot, type Shot } from '../visual/shot.ts'

export type Captured =
  | { readonly ok: true; readonly shots: readonly Shot[]; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly fault: RunFault }

/** Milliseconds for one picture. */
const SHOT_MS = 15_000
const FONTS_MS = 3_000

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

type Region = NonNullable<VisualConfig['regions']>[number]

/**
 * Takes the pictures that a monitor wants of a page that rests: of the whole or the viewport, or of each region, with what it ignores hidden, fonts loaded,
 * animations stopped at their end and no caret (spec, Visual config). A page or region taller than 16,384 px is cut off there, with a warning.
 */
export async function capture(page: Page, view: PageView, visual: VisualConfig): Promise<Captured> {
  const { fullPage = true, regions = [], ignoreSelectors = [] } = visual
  const style = [STILL, ...ignoreSelectors.map((selector) => `${selector} { visibility: hidden !important }`)].join(
    '\n',
  )
  await view.ask(AWAIT_FONTS)
  const size = (await view.ask(DOCUMENT_SIZE)) as Pick<Box, 'width' | 'height'>
  const boxes =
    regions.length > 0
      ? await Promise.all(regions.map((region, index) => boxOf(view, region, index)))
      : [{ region: 'page', box: fullPage ? { x: 0, y: 0, ...size } : null }]
  const shots: Shot[] = []
  const warnings: string[] = []
  for (const { region, box } of boxes) {
    if (box === undefined) shots.push({ region, width: 0, height: 0, png: null })
    else {
      const shot = await shoot(page, region, box, style)
      if (box !== null && box.height > shot.height) warnings.push(cutOff(region, box.height, shot.height))
      if (shot.png !== null && shot.png.length > LARGEST_SHOT_BYTES) return { ok: false, fault: tooLarge(region) }
      shots.push(shot)
    }
  }
  return { ok: true, shots, warnings }
}

const STILL = `*, *::before, *::after { animation-play-state: paused !important; transition: none !important; caret-color: transparent !important; scroll-behavior: auto !important }`

async function shoot(page: Page, region: string, box: Box | null, style: string): Promise<Shot> {
  const viewport = page.viewportSize() ?? { width: 0, height: 0 }
  const width = Math.min(box?.width ?? 0, 3_840)
  const clip = box && { ...box, width, height: Math.min(box.height, tallestShot(width)) }
  const png = await page.screenshot({
    animations: 'disabled',
    caret: 'hide',
    scale: 'css',
    style,
    timeout: SHOT_MS,
    ...(clip ? { clip, fullPage: true } : { fullPage: false }),
  })
  return { region, width: clip?.width ?? viewport.width, height: clip?.height ?? viewport.height, png }
}

/** Where a region is now; undefined when its selector finds nothing that is visible. */
async function boxOf(
  view: PageView,
  { selector, rect, label }: Region,
  index: number,
): Promise<{ region: string; box: Box | undefined }> {
  const region = label ?? `region-${index + 1}`
  if (rect) return { region, box: rect }
  const found = (await view.ask(elementBox(selector ?? ''))) as Box | null
  return { region, box: found ?? undefined }
}

function cutOff(region: string, height: number, shown: number): string {
  const what = region === 'page' ? 'The page' : `The region ${JSON.stringify(region)}`
  return `${what} is ${Math.round(height)} px tall; its picture shows the first ${Math.round(shown)}.`
}

function tooLarge(region: string): RunFault {
  const message = `The picture of ${region === 'page' ? 'the page' : JSON.stringify(region)} is larger than ${LARGEST_SHOT_BYTES / 1_048_576} MiB. Choose regions, or a smaller viewport.`
  return { code: 'too_large', message }
}

// Text, since it runs in the page: the compiler knows no document here.

const AWAIT_FONTS = `Promise.race([document.fonts.ready.then(() => true), new Promise((resolve) => setTimeout(resolve, ${FONTS_MS}, false))])`

const DOCUMENT_SIZE = `(() => {
  const { documentElement: root, body } = document
  return {
    width: root.clientWidth,
    height: Math.max(root.scrollHeight, body ? body.scrollHeight : 0, root.clientHeight, 1),
  }
})()`

const elementBox = (selector: string): string => `(() => {
  let element = null
  try { element = document.querySelector(${JSON.stringify(selector)}) } catch { return null }
  if (!element) return null
  const { left, top, width, height } = element.getBoundingClientRect()
  if (width < 1 || height < 1 || getComputedStyle(element).visibility === 'hidden') return null
  return { x: Math.max(0, left + scrollX), y: Math.max(0, top + scrollY), width, height }
})()`
