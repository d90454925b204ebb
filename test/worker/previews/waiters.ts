import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { CheckSource } from '../../../runners/check/check-source.ts'
import type { Task } from '../../../runners/check/task.ts'
import type { SerpEngine } from '../../../schema/serp/serp-search.ts'
import { createAnswerSignals } from '../../../store/asked/answer-signals.ts'
import { endWork } from '../../../store/asked/asked-work.ts'
import { createRunnerAnswers, type RunnerAnswer } from '../../../worker/asked/runner-answers.ts'
import { answerOf, type KeptAnswer, type PreviewRequest } from '../../../worker/previews/preview-kind.ts'
import type { AskedAnswer } from '../../../worker/queue/asked-kind.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type Asker, openAsker } from '../queue/asker.ts'

export const SECRET = 'a-header-that-is-secret'

const PAGE: PreviewRequest = {
  ...{ url: 'https://shop.example/kettle', queue: 'browser', reason: 'configured' },
  extract: { method: 'css', fields: { price: '.price' } },
  ...{ request: null, visual: null, headers: { 'x-key': SECRET }, obstacle: null },
}

export const searchOn = (engine: SerpEngine): PreviewRequest => ({
  search: { engine, keyword: 'shoes', pages: 1, location_code: 'us', language_code: 'en', device: 'desktop' },
})

interface Wanting {
  readonly teamId?: string
  readonly seconds?: number
  readonly isIsolated?: boolean
  /** Default: a page. */
  readonly request?: PreviewRequest
}

type Answered = Exclude<RunnerAnswer, { kind: 'answered' }> | ({ readonly kind: 'answered' } & AskedAnswer)

/** Those who wait for previews that runners make. */
export interface Waiters extends AsyncDisposable {
  /** Asks for a preview. */
  ask(wanting?: Wanting): Promise<Answered>
  /** A preview that waits; it is in the store when this resolves. */
  waiting(wanting?: Wanting): Promise<{ readonly answer: Promise<Answered> }>
  rows(): Promise<{ id: string; answer: Buffer | null; request: Buffer }[]>
  /** Ends what still waits. */
  stop(): Promise<void>
}

function createWaiters({ runnerApi, team }: Asker): Waiters {
  const { store, secrets, query, url } = runnerApi.database
  const signals = createAnswerSignals(url)
  const runners = createRunnerAnswers({ store, secrets, signals })
  let stopping = new AbortController()
  let answers: Promise<Answered>[] = []
  const count = async () =>
    (await query<{ n: number }>('select count(*)::int as n from asked_work where request is not null'))[0]?.n ?? 0

  function ask({ teamId = team, seconds = 30, isIsolated = false, request = PAGE }: Wanting = {}) {
    const answer = asked({
      teamId,
      request,
      engine: 'search' in request ? request.search.engine : null,
      isIsolated,
      seconds,
      level: 1,
    })
    answers.push(answer)
    return answer
  }

  /** As a preview does: pays, waits for a runner, and gives back what was not answered. */
  async function asked({ teamId, ...offer }: { teamId: string } & Omit<Parameters<typeof runners.ask>[0], 'work'>) {
    const { signal } = stopping
    const spent = await spendRun(store, teamId, 'runs')
    if (spent.kind !== 'spent') throw new Error(spent.kind)
    const { work } = spent
    const end = await runners.ask({ work, ...offer }, signal)
    await endWork(store, work, end.kind === 'answered')
    return end.kind === 'answered' ? ({ kind: 'answered', ...answerOf(end.kept as KeptAnswer) } as const) : end
  }

  return {
    ask,
    async waiting(wanting) {
      const before = await count()
      const answer = ask(wanting)
      await eventually(count, (now) => now > before)
      return { answer }
    },
    rows: () => query('select * from asked_work where request is not null'),
    async stop() {
      stopping.abort()
      await Promise.all(answers)
      stopping = new AbortController()
      answers = []
    },
    [Symbol.asyncDispose]: () => signals.close(),
  }
}

/**
 * Opens a runner API and those who wait for its previews, once for the tests of a file. Each test begins with a token
 * of its own, and leaves `tables` empty.
 */
export function usePreviews(
  onOpened: (opened: { readonly asker: Asker; readonly waiters: Waiters }) => void,
  tables: readonly string[] = ['asked_work'],
): void {
  let asker: Asker
  let waiters: Waiters
  beforeAll(async () => {
    asker = await openAsker()
    waiters = createWaiters(asker)
    onOpened({ asker, waiters })
  })
  beforeEach(() => asker.newJob())
  afterEach(async () => {
    await waiters.stop()
    for (const table of tables) await asker.runnerApi.database.query(`delete from ${table}`)
    await asker.reset()
  })
  afterAll(async () => {
    await waiters[Symbol.asyncDispose]()
    await asker[Symbol.asyncDispose]()
  })
}

export async function firstClaimed(source: Pick<CheckSource, 'claim'>): Promise<Task> {
  const [first] = await source.claim(10)
  if (!first) throw new Error('nothing was claimed')
  return first
}
