import { storableText } from '../../core/storable.ts'
import type { FetchedFacts as WireFacts, RunnerOutcome, RunnerReading } from '../../schema/runner-api.ts'
import { UNREAD_CHARS } from '../../schema/serp/search-reading.ts'
import type { Shot } from '../browser/page/shot.ts'
import type { Finished } from '../check/check-source.ts'
import type { PageLook } from '../check/look-of.ts'
import type { FetchedFacts, Reading } from '../check/reading.ts'
import type { OutcomeFrame } from './outcome-frame.ts'
import { markToWire } from './task-wire.ts'

type Failed = Extract<Reading, { kind: 'failed' }>

/**
 * Returns an outcome as a runner sends it. NUL and lone surrogates, which a page may contain, are replaced as the
 * recorder replaces them.
 */
export function outcomeToWire({ task, reading, startedMs, endedMs }: Finished): OutcomeFrame {
  const seen = reading.kind === 'values' || reading.kind === 'text' ? reading.shots : undefined
  const { indexes, pictures } = reading.kind === 'look' ? partsOf(reading.look) : indexPictures(seen ?? [])
  const outcome: RunnerOutcome = {
    no: task.no,
    fence: task.fence,
    started_ms: startedMs,
    ended_ms: endedMs,
    reading: readingToWire(reading, seen && indexes),
    ...(reading.kind === 'values' && { values: reading.values }),
    ...('fetched' in reading && reading.fetched && { fetched: fetchedToWire(reading.fetched) }),
    pictures: pictures.map(({ byteLength }) => byteLength),
  }
  return { head: Buffer.from(storableText(JSON.stringify(outcome))), pictures }
}

const MAX_FETCH_MS = 600_000

const fetchedToWire = ({ status, contentType, bytes, durationMs }: FetchedFacts): WireFacts => ({
  status,
  content_type: contentType,
  bytes,
  fetch_ms: Math.min(Math.round(durationMs), MAX_FETCH_MS),
})

function indexPictures(shots: readonly Shot[]) {
  const pictures: Uint8Array[] = []
  const indexes = shots.map(({ png }) => (png === null ? null : pictures.push(png) - 1))
  return { indexes, pictures }
}

/** The document of a look is sent before its picture. */
function partsOf({ body, shot }: PageLook): ReturnType<typeof indexPictures> {
  return { indexes: [], pictures: shot ? [body, shot.png] : [body] }
}

function readingToWire(reading: Finished['reading'], shots: (number | null)[] | undefined): RunnerReading {
  if (reading.kind === 'moved') return reading
  if (reading.kind === 'failed') return failedToWire(reading)
  if (reading.kind === 'search') return { kind: 'search', search: sendable(reading.search) }
  if (reading.kind === 'look') return lookToWire(reading)
  const { kind, mark, remember } = reading
  const common = { fetch_method: reading.fetchMethod, mark: markToWire(mark), ...(remember && { remember }) }
  if (kind === 'unchanged') return { kind, ...common, ...mediaToWire(reading) }
  const read = { ...common, warnings: reading.warnings.slice(0, MAX_WARNINGS), ...(shots && { shots }) }
  if (kind === 'text') return { kind, text: reading.text, ...read }
  const asSent = reading.isAsSent && { as_sent: true }
  const emptied = reading.emptied && { emptied: [...reading.emptied] }
  return {
    kind,
    ...read,
    ...emptied,
    ...(reading.pageText !== undefined && { page_text: reading.pageText }),
    ...asSent,
    ...mediaToWire(reading),
  }
}

function lookToWire({ kind, fetchMethod, look }: Extract<Reading, { kind: 'look' }>): RunnerReading {
  const { status, url, contentType, shot, isCut, elements, covers, warnings } = look
  return {
    kind,
    fetch_method: fetchMethod,
    look: {
      status,
      url,
      content_type: contentType?.slice(0, MAX_TYPE) ?? null,
      document: 0,
      picture: shot ? 1 : null,
      is_cut: isCut,
      elements: [...elements],
      covers: [...covers],
      warnings: warnings.slice(0, MAX_WARNINGS),
    },
  }
}

/** A page that is too large to be sent is not: it is kept for a person, and nothing hangs on it. */
function sendable<T extends { readonly unread?: string }>(said: T): T | Omit<T, 'unread'> {
  if (said.unread === undefined || said.unread.length <= UNREAD_CHARS) return said
  const { unread: _, ...rest } = said
  return rest
}

function mediaToWire({ withoutMedia, needsMedia }: Pick<Failed, 'withoutMedia' | 'needsMedia'>) {
  return { ...(withoutMedia && { without_media: true }), ...(needsMedia && { needs_media: true }) }
}

function failedToWire(reading: Failed): RunnerReading {
  const { kind, fetchMethod, fault, retryAfterMs, status, engine } = reading
  return {
    kind,
    ...(fetchMethod !== null && { fetch_method: fetchMethod }),
    fault: { code: fault.code, message: fault.message.slice(0, 1000) },
    retry_after_ms: Math.min(Math.max(0, Math.round(retryAfterMs)), LONGEST_MS),
    ...(typeof status === 'number' && { status }),
    // A runner is never given a search whose engine is left alone.
    ...(engine && engine.outcome !== 'left_alone' && { engine: sendable(engine) }),
    ...mediaToWire(reading),
  }
}

const MAX_WARNINGS = 200
const MAX_TYPE = 1000
const LONGEST_MS = 86_400_000
