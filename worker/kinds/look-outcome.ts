import { refusePng } from '../../runners/browser/page/picture-limits.ts'
import { LARGEST_SHOT_BYTES, TALLEST_SHOT } from '../../runners/browser/page/shot.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { FETCH_LIMITS } from '../../runners/fetch/fetch-limits.ts'
import { LOOK_LIMITS } from '../../schema/monitor/look-limits.ts'
import type { LookElement } from '../../schema/monitor/look.ts'
import type { RunnerOutcome, RunnerReading } from '../../schema/runner-api.ts'
import { type Issue, joinPath } from '../../schema/validation/issue.ts'
import {
  type CheckedOutcome,
  type HeldTask,
  readingIssue as issue,
  type ReportedOutcome,
} from '../queue/reported-outcome.ts'
import { fetchedOf, reasonOf } from './reported-facts.ts'

type LookSent = Extract<RunnerReading, { kind: 'look' }>

/**
 * Checks the look that a runner reports. Its shape was checked before. What it names has to exist: a parent before its
 * children, the elements that cover the page, the document, and a PNG.
 */
export function lookOutcomeOf({ outcome, pictures }: ReportedOutcome, held: HeldTask<PageTask>): CheckedOutcome {
  const { reading } = outcome
  const issues = outcomeIssues(outcome, held)
  const about = outcome.fetched && { fetched: fetchedOf(outcome.fetched) }
  if (reading.kind === 'failed') {
    if (pictures.length > 0) issues.push({ path: 'pictures', message: 'must be empty: nothing was seen' })
    if (issues.length > 0) return { ok: false, issues }
    const { kind, fetch_method: fetchMethod = null, fault, retry_after_ms: retryAfterMs, status = null } = reading
    return { ok: true, reading: { kind, fetchMethod, fault, retryAfterMs, status, ...about } }
  }
  if (reading.kind !== 'look') return { ok: false, issues: [...issues, ...OTHER_KIND] }
  issues.push(...partIssues(reading, pictures), ...elementIssues(reading))
  const look = issues.length === 0 ? lookFrom(reading, pictures) : null
  if (look === null) return { ok: false, issues }
  const { fetch_method: fetchMethod } = reading
  const fetchReason = reasonOf(fetchMethod, held.task)
  return { ok: true, reading: { kind: 'look', fetchMethod, fetchReason, look, ...about } }
}

const OTHER_KIND = issue('kind', 'must be look or failed: somebody wants to see the page')

function outcomeIssues({ reading, values, fetched }: RunnerOutcome, { task, hasProxy }: HeldTask<PageTask>): Issue[] {
  const issues: Issue[] = []
  if (values !== undefined) issues.push({ path: 'values', message: 'is not for a look' })
  if (fetched && !task.asksFetched) issues.push({ path: 'fetched', message: 'was not asked for' })
  if (reading.kind === 'failed' && reading.engine) issues.push(...issue('engine', 'is not for a page'))
  const method = 'fetch_method' in reading ? reading.fetch_method : undefined
  if (method === 'static') issues.push(...issue('fetch_method', 'cannot be static: the page is shown'))
  if (method === 'proxy' && !hasProxy)
    issues.push(...issue('fetch_method', 'cannot be proxy: this installation has none'))
  return issues
}

function partIssues({ look: { document, picture } }: LookSent, parts: readonly Uint8Array[]): Issue[] {
  const wanted = picture === null ? 1 : 2
  if (parts.length !== wanted) return [{ path: 'pictures', message: `must have ${wanted} items` }]
  if (document === picture || document >= wanted) return issue('look.document', 'is not the index of the document')
  const issues: Issue[] = []
  if ((parts[document]?.byteLength ?? 0) > FETCH_LIMITS.maxBodyBytes)
    issues.push({ path: joinPath('pictures', document), message: 'is larger than a document may be' })
  const png = picture === null ? undefined : parts[picture]
  if (png === undefined) return picture === null ? issues : [...issues, ...issue('look.picture', 'is missing')]
  const refused = refusePng(png)
  if (refused) return [...issues, ...issue('look.picture', `cannot be shown: ${refused.message}`)]
  const { width, height } = sizeOf(png)
  if (height > TALLEST_SHOT || width > MOST_WIDTH || png.byteLength > LARGEST_SHOT_BYTES)
    issues.push(...issue('look.picture', 'is larger than a picture may be'))
  return issues
}

const MOST_WIDTH = 3_840

function elementIssues({ look: { elements, covers } }: LookSent): Issue[] {
  const parent = elements.findIndex((element, index) => element.parent !== null && element.parent >= index)
  if (parent >= 0) return issue(`look.elements[${parent}].parent`, 'must be an element before this one')
  if (covers.some(({ element }) => element >= elements.length))
    return issue('look.covers', 'must name elements of the list')
  if (Buffer.byteLength(JSON.stringify(elements)) > LOOK_LIMITS.bytes)
    return issue('look.elements', `must not be longer than ${LOOK_LIMITS.bytes} bytes`)
  return []
}

function lookFrom({ look }: LookSent, parts: readonly Uint8Array[]) {
  const { status, url, content_type: contentType, document, picture, is_cut: isCut } = look
  const body = parts[document]
  const png = picture === null ? undefined : parts[picture]
  if (body === undefined) return null
  const elements: readonly LookElement[] = look.elements
  const shot = png ? { region: 'page', ...sizeOf(png), png } : null
  return { status, url, contentType, body, shot, isCut, elements, covers: look.covers, warnings: look.warnings }
}

function sizeOf(png: Uint8Array): { readonly width: number; readonly height: number } {
  const header = new DataView(png.buffer, png.byteOffset, png.byteLength)
  return { width: header.getUint32(16), height: header.getUint32(20) }
}
