import { Slots } from '../../concurrency/gates/slots.ts'
import type { Logger } from '../../core/logger.ts'
import type { ShapeField } from '../../core/prompt-shape/prompt-shape.ts'
import { storable } from '../../core/storable.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { whileStoreAway, type Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { findPromptAnswer, keepPromptAnswer } from '../../store/maintenance/prompt-answers.ts'
import { giveBackModelCall, takeModelCall } from '../../store/quota/prompt-quota.ts'
import { askModel, fieldsOf, type ModelAnswer } from './model/ask-model.ts'
import { tooSlow } from './model/model-fault.ts'
import type { Model } from './model/model.ts'
import type { PromptMetrics } from './prompt-metrics.ts'
import type { PromptAnswer, Prompts, Question } from './prompts-port.ts'
import { questionKey } from './question-key.ts'

export interface PromptsOptions {
  readonly model: Model
  /** Stores answers and counts calls; null (a check from a terminal): does neither. */
  readonly store: Store | null
  readonly log: Logger
  /** The most questions at once. One team gets at most half of them, if there is more than one. */
  readonly concurrency: number
  /** Milliseconds for a question, including its repair and its retries. */
  readonly deadlineMs: number
  /** How long a question may wait for a slot while somebody waits for the answer. Default: for ever. */
  readonly waitMs?: number
  /** How long the store may be away. */
  readonly patienceMs: number
  readonly metrics?: PromptMetrics
}

/** `Prompts` that can be closed. */
export interface ClosablePrompts extends Prompts {
  /** Ends the running questions; their checks are not recorded. The store is needed until this resolves. */
  close(): Promise<void>
}

/** The most questions that wait: each keeps its page in memory, about 100 KB. */
const MAX_WAITING = 256
/** The most bytes of pictures that wait with the questions. */
const MAX_HELD = 128 * 1024 * 1024

/**
 * Uses the cache, the queue, the quota and the model, in this order. A cached answer costs nothing and needs no slot. A
 * call is counted before it is made, by one guarded update, and given back if no answer came. A call that got an answer
 * counts even if the answer is not usable, because the model worked for it. If a process dies in between, the call
 * stays counted, and the check asks again when it comes back.
 */
export function createPrompts(options: PromptsOptions): ClosablePrompts {
  return new AskingPrompts(options)
}

const FULL: RunFault = {
  code: 'model_busy',
  message: 'The model already answers as many questions as it accepts at once. Try again in a moment.',
}
const ABANDONED: PromptAnswer = { kind: 'abandoned' }

class AskingPrompts implements ClosablePrompts {
  readonly #options: PromptsOptions
  readonly #slots: Slots
  readonly #stopping = new AbortController()
  #held = 0
  readonly #underWay = new Set<Promise<PromptAnswer>>()

  constructor(options: PromptsOptions) {
    this.#options = options
    const { concurrency } = options
    this.#slots = new Slots({ total: concurrency, perTeam: Math.max(1, Math.floor(concurrency / 2)) })
  }

  hasRoom(held: number): boolean {
    return this.#underWay.size < MAX_WAITING + this.#options.concurrency && this.#held + held <= MAX_HELD
  }

  ask(question: Question, signal: AbortSignal): Promise<PromptAnswer> {
    const { held = 0 } = question
    const asked = this.#answer(question, AbortSignal.any([signal, this.#stopping.signal]))
      .catch((error: unknown) => {
        if (storeOutage(this.#options.log).covers(error, 'questions to the model')) return ABANDONED
        this.#options.log.error(
          { err: error },
          'a question to the model came to nothing; its check runs again when its lease ends',
        )
        return ABANDONED
      })
      .finally(() => {
        this.#underWay.delete(asked)
        this.#held -= held
      })
    this.#underWay.add(asked)
    this.#held += held
    return asked
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#underWay)
    await this.#options.model.close()
  }

  async #answer(question: Question, signal: AbortSignal): Promise<PromptAnswer> {
    const { store, model, metrics } = this.#options
    const fields = fieldsOf(question)
    if (fields !== null && 'fault' in fields) return { kind: 'failed', fault: fields.fault, retryAfterMs: 0 }
    const key = questionKey(question, model.name)
    const known = store && (await this.#patiently(() => findPromptAnswer(store, question.teamId, key)))
    if (known) {
      metrics?.asked('cached', 0)
      return { kind: 'values', values: known, warnings: [] }
    }
    const leave = await this.#slots.take(question.teamId, { signal, waitMs: this.#options.waitMs })
    if (leave === 'late') return { kind: 'failed', fault: FULL, retryAfterMs: 0 }
    if (typeof leave === 'string') return ABANDONED
    try {
      return await this.#counted(question, { fields, key, signal })
    } finally {
      leave()
    }
  }

  async #counted(question: Question, { fields, key, signal }: Counted): Promise<PromptAnswer> {
    const { store, metrics } = this.#options
    const { teamId } = question
    const call = store && (await this.#patiently(() => takeModelCall(store, teamId)))
    if (call?.kind === 'used_up') {
      metrics?.asked('used_up', 0)
      return { kind: 'failed', fault: usedUp(call.limit, call.resetsAt), retryAfterMs: 0 }
    }
    const startedAt = performance.now()
    const answer = await this.#withDeadline(question, fields, signal)
    metrics?.asked(answer.kind === 'failed' ? answer.failure.fault.code : answer.kind, performance.now() - startedAt)
    const isAnswered = answer.kind === 'values' || (answer.kind === 'failed' && answer.failure.wasAnswered)
    if (store && call && !isAnswered) await this.#patiently(() => giveBackModelCall(store, teamId, call.period))
    if (answer.kind === 'abandoned') return ABANDONED
    if (answer.kind === 'failed')
      return { kind: 'failed', fault: answer.failure.fault, retryAfterMs: answer.failure.retryAfterMs }
    const values = storable(answer.values)
    if (store) await this.#patiently(() => keepPromptAnswer(store, teamId, key, values))
    return { ...answer, values }
  }

  async #withDeadline(question: Question, fields: Counted['fields'], signal: AbortSignal): Promise<ModelAnswer> {
    const { model, deadlineMs } = this.#options
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), deadlineMs)
    try {
      const answer = await askModel(question, fields, { model, signal: AbortSignal.any([signal, late.signal]) })
      return answer.kind === 'abandoned' && !signal.aborted ? { kind: 'failed', failure: tooSlow(deadlineMs) } : answer
    } finally {
      clearTimeout(timer)
    }
  }

  #patiently<T>(work: () => Promise<T>): Promise<T> {
    const { log, patienceMs } = this.#options
    return whileStoreAway(work, { log, patienceMs })
  }
}

interface Counted {
  readonly fields: readonly ShapeField[] | null
  readonly key: Buffer
  readonly signal: AbortSignal
}

function usedUp(limit: number, resetsAt: string | null): RunFault {
  const until = resetsAt === null ? '' : `, until ${resetsAt.slice(0, 10)}`
  return {
    code: 'llm_quota',
    message:
      `The plan's ${limit.toLocaleString('en')} calls of the model are used up${until}; the model was not asked. ` +
      `Answers that are kept are still used. Choose a larger plan, or a longer interval.`,
  }
}
