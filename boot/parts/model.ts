import type { Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { createModel } from '../../worker/prompts/model/model.ts'
import { createPromptMetrics } from '../../worker/prompts/prompt-metrics.ts'
import { type ClosablePrompts, createPrompts } from '../../worker/prompts/prompts.ts'
import type { Settings } from '../settings/read-config.ts'

/** The settings of the model. */
export type ModelSettings = Pick<
  Settings,
  'LLM_BASE_URL' | 'LLM_API_KEY' | 'LLM_MODEL' | 'TIDEMARK_LLM_CONCURRENCY' | 'TIDEMARK_LLM_TIMEOUT_SECONDS'
>

interface ModelContext {
  /** Null: nothing is cached and nothing is counted. */
  readonly store: Store | null
  readonly log: Logger
  readonly registry?: Registry
  /** A person waits for the answer: the deadline and the wait for a slot have to fit into one API request. */
  readonly isWaitedFor?: boolean
  readonly patienceMs?: number
}

/** A request to the API may take 60 s, of which a fetch takes 30. */
const WAITED_FOR = { deadlineMs: 20_000, waitMs: 5_000 }

/** Returns the client of this installation's model; null when it has none. */
export function promptsOf(settings: ModelSettings, context: ModelContext): ClosablePrompts | null {
  const { LLM_BASE_URL: baseUrl, LLM_MODEL: name } = settings
  if (baseUrl === undefined) return null
  const { store, log, registry, isWaitedFor = false, patienceMs = 10_000 } = context
  const concurrency = settings.TIDEMARK_LLM_CONCURRENCY
  const timeoutMs = settings.TIDEMARK_LLM_TIMEOUT_SECONDS * 1000
  const apiKey = () => settings.LLM_API_KEY ?? null
  const model = createModel({ baseUrl, apiKey, name, timeoutMs, connections: concurrency, log })
  return createPrompts({
    model,
    store,
    log,
    concurrency,
    patienceMs,
    // Two answers are possible: the first one, and the repaired one.
    deadlineMs: 2 * timeoutMs,
    ...(isWaitedFor && { deadlineMs: Math.min(2 * timeoutMs, WAITED_FOR.deadlineMs), waitMs: WAITED_FOR.waitMs }),
    ...(registry && { metrics: createPromptMetrics(registry) }),
  })
}
