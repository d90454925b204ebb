import type { Page } from 'playwright-core'
import type { VisualConfig } from '../../../schema/monitor/visual-config.ts'
import type { RunFault } from '../../../schema/run/run-fault.ts'
import { PICTURE_LATE, UNSTABLE } from '../browser-faults.ts'
import { type Box, clipOf, elementBox, HIDE, PAGE_SIZE, type PageSize } from './page-boxes.ts'
import type { PageView } from './page-view.ts'
import { LARGEST_SHOT_BYTES, tallestShot, type Shot } from './shot.ts'

type Captured =
  | { readonly ok: true; readonly shots: readonly Shot[]; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly fault: RunFault }

/** The page to take pictures of. */
interface CapturedPage {
  readonly page: Page
  readonly view: PageView
  /** The host as shown to the user. */
  readonly host: string
}

/** Milliseconds for one picture. */
const SHOT_MS = 15_000
const FONTS_MS = 3_000

type Region = NonNullable<VisualConfig['regions']>[number]

/** Undefined: not found; null: the viewport. */
interface Target {
  readonly region: string
  readonly box: Box | null | undefined
}

/**
 * Takes a monitor's pictures of a page at rest: of the full page or the viewport, or of each region. Ignored elements
 * are hidden, fonts are loaded (or three seconds have passed), animations are stopped at their end, and there is no
 * caret. A page or region taller than 16,384 px is cut off there, with a warning.
 */
export async function capture(captured: CapturedPage, visual: VisualConfig): Promise<Captured> {
  const { view, host } = captured
  await view.ask(AWAIT_FONTS)
  const hidden = await view.ask(HIDE(visual.ignoreSelectors ?? []))
  const size = await view.ask(PAGE_SIZE)
  if (hidden.kind === 'replaced' || size.kind === 'replaced') return { ok: false, fault: UNSTABLE(host) }
  const style = [NO_MOTION, ...(hidden.kind === 'value' ? (hidden.value as string[]).map(hidingRule) : [])].join('\n')
  const targets = await targetsOf(view, visual, size.kind === 'value' ? (size.value as PageSize | null) : null)
  const shots: Shot[] = []
  const warnings: string[] = []
  for (const { region, box } of targets) {
    const shot = box === undefined ? notFound(region) : await shoot(captured, region, box, style)
    if (shot === 'late') return { ok: false, fault: PICTURE_LATE(host, SHOT_MS) }
    if (shot.png !== null && shot.png.length > LARGEST_SHOT_BYTES) return { ok: false, fault: tooLarge(region) }
    if (box && shot.png !== null && box.height > shot.height) warnings.push(cutOff(region, box.height, shot.height))
    shots.push(shot)
  }
  return { ok: true, shots, warnings }
}

const NO_MOTION =
  `*, *::before, *::after { animation-play-state: paused !important; transition: none !important; caret-color: ` +
  `transparent !important; scroll-behavior: auto !important }`

/**
 * Hides the descendants too, which may set `visibility: visible`, and outranks the page's own rules, even `!important`
 * ones. The selector also stands alone first: `:is` cannot contain `::before` and `::after`.
 */
const hidingRule = (selector: string): string =>
  `${selector} { visibility: hidden !important }
  :is(${selector}, :is(${selector}) *):not(${'#tidemark'.repeat(6)}) { visibility: hidden !important }`

const notFound = (region: string): Shot => ({ region, width: 0, height: 0, png: null })

async function targetsOf(view: PageView, visual: VisualConfig, size: PageSize | null): Promise<readonly Target[]> {
  const { fullPage = true, regions = [] } = visual
  if (regions.length > 0) return Promise.all(regions.map((region, index) => targetOf(view, region, { index, size })))
  // A document without a body (an SVG, a dismantled document) has no full height to measure.
  const whole = fullPage && size && clipOf({ x: 0, y: 0, width: size.width, height: size.height }, size)
  return [{ region: 'page', box: whole ? whole : null }]
}

/** Returns where a region is now, clipped to the page. */
async function targetOf(
  view: PageView,
  { selector, rect, label }: Region,
  { index, size }: { readonly index: number; readonly size: PageSize | null },
): Promise<Target> {
  const region = label ?? `region-${index + 1}`
  const found = rect ? null : await view.ask(elementBox(selector ?? ''))
  const box = rect ?? (found?.kind === 'value' ? (found.value as Box | null) : null)
  return { region, box: (box && size && clipOf(box, size)) ?? undefined }
}

async function shoot({ page }: CapturedPage, region: string, box: Box | null, style: string): Promise<Shot | 'late'> {
  const viewport = page.viewportSize() ?? { width: 0, height: 0 }
  const width = Math.min(box?.width ?? 0, 3_840)
  const clip = box && { ...box, width, height: Math.min(box.height, tallestShot(width)) }
  try {
    const png = await page.screenshot({
      animations: 'disabled',
      caret: 'hide',
      scale: 'css',
      style,
      timeout: SHOT_MS,
      ...(clip ? { clip, fullPage: true } : { fullPage: false }),
    })
    return { region, width: clip?.width ?? viewport.width, height: clip?.height ?? viewport.height, png }
  } catch (error) {
    const text = String(error)
    if (/Timeout \d+ms exceeded/.test(text)) return 'late'
    // The page became smaller after it was measured.
    if (/Clipped area is either empty or outside/.test(text)) return notFound(region)
    throw error
  }
}

function cutOff(region: string, height: number, shown: number): string {
  const what = region === 'page' ? 'The page' : `The region ${JSON.stringify(region)}`
  return `${what} is ${Math.round(height)} px tall; its picture shows the first ${Math.round(shown)}.`
}

function tooLarge(region: string): RunFault {
  const message =
    `The picture of ${region === 'page' ? 'the page' : JSON.stringify(region)} is larger than ` +
    `${LARGEST_SHOT_BYTES / 1_048_576} MiB. Choose regions, or a smaller viewport.`
  return { code: 'too_large', message }
}

// Source text, because it runs in the page: there is no `document` in these types.
export const AWAIT_FONTS =
  `Promise.race([document.fonts.ready.then(() => true), new Promise((resolve) => setTimeout(resolve, ${FONTS_MS}, ` +
  `false))])`
