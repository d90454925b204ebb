import { refusePng } from '../../runners/browser/page/picture-limits.ts'
import type { Shot } from '../../runners/browser/page/shot.ts'
import type { Finished } from '../../runners/check/check-source.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { markFromWire } from '../../runners/client/task-wire.ts'
import { EXTRACT_LIMITS } from '../../runners/extract/limits.ts'
import { boundPageText } from '../../runners/extract/text/full-page.ts'
import { boundValues } from '../../runners/extract/text/truncate.ts'
import { fieldNames } from '../../schema/monitor/extract-config.ts'
import type { FetchMethod } from '../../schema/run/run.ts'
import type { RunnerOutcome, RunnerReading } from '../../schema/runner-api.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { joinPath } from '../../schema/validation/issue.ts'
import {
  type CheckedOutcome,
  type HeldTask,
  readingIssue as issue,
  type ReportedOutcome,
} from '../queue/reported-outcome.ts'
import { fetchedOf, reasonOf } from './reported-facts.ts'

/**
 * Checks the outcome that a runner reports against its task. The runner can be wrong about the page, which only it has
 * seen. It must not contradict what we know. So fields, regions and layers must be those of the monitor, each picture
 * must be a single image that is used in one place, and a page that was never read cannot be unchanged.
 */
export function pageOutcomeOf({ outcome, pictures }: ReportedOutcome, held: HeldTask<PageTask>): CheckedOutcome {
  const { reading } = outcome
  const issues = [...kindIssues(reading, held), ...shotIssues(reading, pictures, held.task)]
  if (outcome.fetched && !held.task.asksFetched) issues.push({ path: 'fetched', message: 'was not asked for' })
  if (reading.kind === 'values') issues.push(...valueIssues(outcome.values, held.task))
  else if (outcome.values !== undefined)
    issues.push({ path: 'values', message: `is not for a reading that is ${reading.kind}` })
  if (issues.length > 0) return { ok: false, issues }
  return { ok: true, reading: readingFromWire(outcome, pictures, held.task) }
}

function kindIssues(reading: RunnerReading, held: HeldTask<PageTask>): Issue[] {
  const { task, hasBaseline } = held
  const asks = task.extract.method === 'prompt'
  if (reading.kind === 'search' || reading.kind === 'look')
    return issue('kind', `must not be ${reading.kind}: the monitor watches a page`)
  if (reading.kind === 'failed' && reading.engine) return issue('engine', 'is not for a page')
  if (reading.kind === 'moved') return movedIssues(held)
  if (reading.kind === 'unchanged' && (!hasBaseline || task.visual?.enabled))
    return issue('kind', 'cannot be unchanged: there is nothing before, or its pictures have to be compared')
  if (reading.kind === 'values' && asks) return issue('kind', 'must be text: the monitor asks a model')
  if (reading.kind === 'text' && !asks) return issue('kind', 'must not be text: the monitor asks no model')
  return layerIssues(reading, held)
}

function movedIssues({ task, isPreview }: HeldTask<PageTask>): Issue[] {
  if (isPreview) return issue('kind', 'cannot be moved: somebody waits for the page')
  return task.queue === 'browser' ? [] : issue('queue', 'is not one that this check can be moved to')
}

function layerIssues(
  reading: Exclude<RunnerReading, { kind: 'moved' | 'search' | 'look' }>,
  { task, layerIsRemembered, hasProxy }: HeldTask<PageTask>,
): Issue[] {
  if (reading.fetch_method === 'static' && !task.triesStatic)
    return issue('fetch_method', 'cannot be static: the check is one of the browser alone')
  if (reading.fetch_method === 'proxy' && !hasProxy)
    return issue('fetch_method', 'cannot be proxy: this installation has none')
  if (reading.kind !== 'failed' && reading.remember && !(layerIsRemembered && task.queue === 'browser'))
    return issue('remember', 'is not for a check whose layer its configuration says')
  return []
}

function shotIssues(reading: RunnerReading, pictures: readonly Uint8Array[], task: PageTask): Issue[] {
  const path = joinPath('reading', 'shots')
  const shots = reading.kind === 'values' || reading.kind === 'text' ? reading.shots : undefined
  if (!shots) {
    if (pictures.length > 0) return [{ path: 'pictures', message: 'must be empty: no screenshot refers to a picture' }]
    const isDue = task.visual?.enabled && (reading.kind === 'values' || reading.kind === 'text')
    return isDue ? [{ path, message: 'is required: the monitor takes pictures' }] : []
  }
  const regions = regionsOf(task)
  if (shots.length !== regions.length)
    return [{ path, message: `must have ${regions.length} items, one for each region` }]
  const left = new Set(pictures.keys())
  const issues: Issue[] = shots.flatMap((place, index) =>
    place === null || left.delete(place)
      ? []
      : [{ path: joinPath(path, index), message: 'is not the index of a picture, or is given twice' }],
  )
  for (const place of left) issues.push({ path: joinPath('pictures', place), message: 'belongs to no screenshot' })
  for (const [place, png] of pictures.entries())
    if (refusePng(png)?.reason === 'picture')
      issues.push({ path: joinPath('pictures', place), message: 'is not a PNG' })
  return issues
}

/** Returns the region names as runners/browser/page/capture.ts gives them; none if the monitor takes no pictures. */
function regionsOf({ visual }: PageTask): readonly string[] {
  if (!visual?.enabled) return []
  const { regions = [] } = visual
  return regions.length > 0 ? regions.map(({ label }, index) => label ?? `region-${index + 1}`) : ['page']
}

function valueIssues(values: unknown, { extract }: PageTask): Issue[] {
  if (values === undefined) return [{ path: 'values', message: 'is required' }]
  if (!isMap(values)) return [{ path: 'values', message: 'must be an object' }]
  const names = new Set(fieldNames(extract))
  const unknown = Object.keys(values).filter((name) => !names.has(name))
  if (unknown.length > 0)
    return unknown
      .slice(0, 50)
      .map((name) => ({ path: joinPath('values', name), message: 'is not a field of the monitor' }))
  return isDeeper(values, EXTRACT_LIMITS.jsonDepth + 2) ? [{ path: 'values', message: 'is nested too deeply' }] : []
}

const isMap = (value: unknown): value is Values => value !== null && typeof value === 'object' && !Array.isArray(value)

/** Walks level by level. Recursion could overflow the stack on deeply nested values. */
function isDeeper(root: unknown, most: number): boolean {
  let level: unknown[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((value) =>
      value !== null && typeof value === 'object' ? (Object.values(value) as unknown[]) : [],
    )
  }
  return false
}

function readingFromWire(outcome: RunnerOutcome, pictures: readonly Uint8Array[], task: PageTask): Finished['reading'] {
  const { reading } = outcome
  if (reading.kind === 'moved') return reading
  if (reading.kind === 'search' || reading.kind === 'look') throw new TypeError(`a ${reading.kind} has an issue here`)
  const fetched = outcome.fetched && { fetched: fetchedOf(outcome.fetched) }
  if (reading.kind === 'failed') {
    const { kind, fetch_method: fetchMethod = null, fault, retry_after_ms: retryAfterMs, status = null } = reading
    const read = { fault, retryAfterMs, status, ...mediaFromWire(reading, task), ...fetched }
    return { kind, fetchMethod, fetchReason: reasonOf(fetchMethod, task), ...read }
  }
  const { fetch_method: fetchMethod, mark, remember } = reading
  const fetchReason = reasonOf(fetchMethod, task)
  const common = { fetchMethod, fetchReason, mark: markFromWire(mark), ...(remember && { remember }) }
  if (reading.kind === 'unchanged') return { kind: 'unchanged', ...common, ...mediaFromWire(reading, task) }
  const { warnings } = reading
  const seen = reading.shots && { shots: shotsOf(reading.shots, pictures, task) }
  if (reading.kind === 'text') return { kind: 'text', text: reading.text, ...common, warnings, ...seen, ...fetched }
  const about = {
    ...common,
    warnings,
    ...seen,
    ...readFromWire(reading, task),
    ...mediaFromWire(reading, task),
    ...fetched,
  }
  return { kind: 'values', values: valuesOf(outcome.values as Values, task), ...about }
}

type WireValues = Extract<RunnerOutcome['reading'], { kind: 'values' }>

/** Returns what a reading says of its page beside the values. */
function readFromWire({ page_text: text, as_sent, emptied }: WireValues, { extract }: PageTask) {
  const hasText = text !== undefined && extract.method === 'full_page'
  return {
    ...(emptied && { emptied }),
    ...(hasText && { pageText: boundPageText([text]) }),
    ...(as_sent && { isAsSent: true }),
  }
}

/** What a runner says of media counts only where it was asked to leave them out. */
const mediaFromWire = (
  reading: Pick<WireValues, 'without_media' | 'needs_media'> & { readonly fetch_method?: FetchMethod },
  task: PageTask,
) => {
  if (!task.withoutMedia) return null
  const { without_media: withoutMedia, needs_media: needsMedia, fetch_method: layer } = reading
  if (needsMedia) return { needsMedia }
  return withoutMedia && layer !== 'static' ? { withoutMedia } : null
}

/**
 * Returns the values in the form in which extraction returns them: every field, in the monitor's order, and none longer
 * than a run keeps.
 */
function valuesOf(values: Values, { extract }: PageTask): Values {
  const named = fieldNames(extract).map((name): [string, Json] => [
    name,
    Object.hasOwn(values, name) ? (values[name] ?? null) : null,
  ])
  return boundValues(Object.fromEntries(named)).values
}

function shotsOf(places: readonly (number | null)[], pictures: readonly Uint8Array[], task: PageTask): Shot[] {
  return regionsOf(task).map((region, index) => {
    const png = pictures[places[index] ?? -1] ?? null
    if (png === null) return { region, width: 0, height: 0, png }
    const { byteOffset } = png
    const header = new DataView(png.buffer, byteOffset, png.byteLength)
    return { region, width: header.getUint32(16), height: header.getUint32(20), png }
  })
}
