import { layerReason, monitorQueue } from '../../core/check-queue.ts'
import { emptyFieldWarnings } from '../../core/empty-fields.ts'
import { missingRegions } from '../../runners/browser/page/shot.ts'
import { check } from '../../runners/check/check.ts'
import type { CheckPorts } from '../../runners/check/check.ts'
import { fieldsToRender, findsMore, renderedForMissing } from '../../runners/check/missing-match.ts'
import type { FetchedFacts, Reading } from '../../runners/check/reading.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { fieldNames } from '../../schema/monitor/extract-config.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { cleanAnswer } from '../prompts/clean-answer.ts'
import { NO_MODEL, type PromptAnswer, type Question } from '../prompts/prompts-port.ts'
import { HERE, taskOfPage } from './preview-kind.ts'

/** The part of a monitor that defines what a run fetches and extracts, and who does it. */
export type Previewed = Pick<
  MonitorSpec,
  'url' | 'extract_config' | 'fetch_mode' | 'request_config' | 'request_headers' | 'visual_config'
> &
  Partial<Pick<MonitorSpec, 'isolation'>>

/** The process context of a preview. */
export interface PreviewPorts extends Omit<CheckPorts, 'onFetched'> {
  /** Asks the model. Without it prompts fail with a message that says what is missing. */
  readonly ask?: Ask | undefined
  /** An opaque key of the team that asks. */
  readonly team?: string | undefined
}

/** Asks the model for a team that is known. Never rejects. */
export type Ask = (question: Omit<Question, 'teamId'>, signal: AbortSignal) => Promise<PromptAnswer>

/**
 * Checks a configuration with the same code as a run, but without earlier state, and records nothing. Returns null if
 * the signal ended the check. Never rejects because of a site.
 */
export async function preview(config: Previewed, ports: PreviewPorts): Promise<Preview | null> {
  const startedAt = performance.now()
  const task = previewTask(config, ports)
  const first = await check(task, ports)
  const renders = ports.browser && ports.browser !== 'elsewhere' && fieldsToRender(first, task).length > 0
  const more = renders ? await check(renderedForMissing(task), ports) : first
  const reading = more.kind === 'abandoned' || findsMore(more, first, task) ? more : first
  return previewOf(reading, config, { ...ports, startedAt })
}

/** What `previewOf` needs besides the reading. */
export interface ShowingPorts extends Pick<PreviewPorts, 'ask' | 'signal' | 'extractor'> {
  /** `performance.now()` when the preview began. */
  readonly startedAt: number
  /** How long fetching and extracting took. Absent: since the beginning. */
  readonly checkMs?: number
}

/** Asks the model where the reading needs it, and returns what a preview shows. Null: the signal ended it. */
export async function previewOf(
  given: Reading,
  config: Previewed,
  { ask, signal, extractor, startedAt, checkMs }: ShowingPorts,
): Promise<Preview | null> {
  const reading = await asked(given, config, { ask, signal, extractor })
  const durationMs = performance.now() - startedAt
  const fetched = 'fetched' in given ? given.fetched : undefined
  const facts = {
    ...fetchFacts(fetched ?? null, checkMs ?? durationMs),
    // A runner of the release before does not say how it fetched, but what a failed page answered.
    ...(fetched === undefined && reading.kind === 'failed' && { http_status: reading.status ?? null }),
    duration_ms: Math.round(durationMs),
  }
  switch (reading.kind) {
    case 'abandoned':
      return null
    case 'failed':
      return { ...facts, ...failure(reading.fault), ...layerOf(reading) }
    case 'moved':
      throw new Error('a preview was handed to a runner')
    case 'search':
    case 'look':
      throw new Error(`a preview cannot end as a ${reading.kind}`)
    case 'unchanged':
      throw new Error('a check without a last page cannot find it unchanged')
    case 'values':
      return {
        ...facts,
        status: 'success',
        fields: reading.values,
        ...layerOf(reading),
        warnings: [
          ...reading.warnings,
          ...missingRegions(reading.shots ?? []),
          ...emptyFieldWarnings(readingOf(reading, config)),
        ]
          .slice(0, MAX_WARNINGS)
          // A runner's may be longer.
          .map((warning) => warning.slice(0, MAX_WARNING)),
        ...emptiedOf(reading, config),
        error_code: null,
        error_message: null,
      }
  }
}

const MAX_WARNINGS = 50
const MAX_WARNING = 500

const readingOf = ({ values, emptied, scripts }: Read, { extract_config: config }: Previewed) => ({
  values,
  emptied,
  config,
  isScripted: scripts === 'many',
})

/** A runner may name fields twice, or others than those of the configuration. */
function emptiedOf({ emptied = [] }: Read, { extract_config: config }: Previewed) {
  const known = fieldNames(config).filter((name) => emptied.includes(name))
  return known.length > 0 ? { emptied: known } : null
}

type Read = Extract<Answered, { kind: 'values' }>
type Answered = Exclude<Reading, { kind: 'text' }>

/** Does the same as the trusted side of a check when the check completes. */
async function asked(
  reading: Reading,
  { url, extract_config: config }: Previewed,
  ports: Pick<PreviewPorts, 'ask' | 'signal' | 'extractor'>,
): Promise<Answered> {
  if (reading.kind !== 'text') return reading
  if (config.method !== 'prompt' || !ports.ask) throw new Error('a preview returned text without a prompt')
  const { prompt, schema = null } = config
  const told = await ports.ask({ prompt, schema, text: reading.text }, ports.signal)
  const answer = await cleanAnswer(told, { ...ports, extract: config, url })
  if (answer.kind === 'abandoned') return answer
  const { fetchMethod, fetchReason = null, mark } = reading
  if (answer.kind === 'failed') return { ...answer, fetchMethod, fetchReason }
  const warnings = [...reading.warnings, ...answer.warnings]
  return { ...answer, fetchMethod, fetchReason, mark, warnings, ...(reading.shots && { shots: reading.shots }) }
}

const layerOf = ({ fetchMethod, fetchReason = null }: Extract<Reading, { kind: 'failed' | 'values' }>) => ({
  fetch_method: fetchMethod,
  fetch_reason: fetchReason,
})

/** What a failed check returns instead of values. */
function failure({
  code,
  message,
}: RunFault): Pick<Preview, 'status' | 'fields' | 'warnings' | 'error_code' | 'error_message'> {
  return { status: 'error', fields: {}, warnings: [], error_code: code, error_message: message }
}

function fetchFacts(fetched: FetchedFacts | null, checkMs: number) {
  const isRead = fetched !== null && fetched.bytes !== null
  return {
    http_status: fetched?.status ?? null,
    content_type: fetched?.contentType ?? null,
    bytes: fetched?.bytes ?? null,
    fetch_ms: fetched && Math.round(fetched.durationMs),
    extract_ms: isRead ? Math.round(Math.max(0, checkMs - fetched.durationMs)) : null,
  }
}

/** Returns the task of a preview, in the queue that its configuration says. */
export function previewTask(config: Previewed, { ask, team }: Pick<PreviewPorts, 'ask' | 'team'>): PageTask {
  const queue = monitorQueue(config)
  const page = {
    url: config.url,
    queue,
    reason: layerReason({ queue, fetch_mode: config.fetch_mode }),
    extract: config.extract_config,
    request: config.request_config,
    visual: config.visual_config,
    headers: config.request_headers,
    obstacle: config.extract_config.method === 'prompt' && !ask ? NO_MODEL : null,
  }
  return taskOfPage(page, { ...HERE, teamKey: team })
}
