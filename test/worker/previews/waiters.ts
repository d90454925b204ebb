import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { CheckSource } from '../../../runners/check/check-source.ts'
import type { Task } from '../../../runners/check/task.ts'
import type { SerpEngine } from '../../../schema/serp/serp-search.ts'
import { createAnswerSignals } from '../../../store/previews/answer-signals.ts'
import type { PreviewRequest } from '../../../worker/previews/preview-record.ts'
import { createWaitingPreviews, type PreviewAnswered } from '../../../worker/previews/waiting-previews.ts'
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

/** Those who wait for previews that runners make. */
export interface Waiters extends AsyncDisposable {
  /** Asks for a preview. */
  ask(wanting?: Wanting): Promise<PreviewAnswered>
  /** A preview that waits; it is in the store when this resolves. */
  waiting(wanting?: Wanting): Promise<{ readonly answer: Promise<PreviewAnswered> }>
  rows(): Promise<{ id: string; answer: Buffer | null; request: Buffer }[]>
  /** Ends what still waits. */
  stop(): Promise<void>
}

function createWaiters({ runnerApi, team }: Asker): Waiters {
  const { store, secrets, query, url } = runnerApi.database
  const signals = createAnswerSignals(url)
  let stopping = new AbortController()
  let answers: Promise<PreviewAnswered>[] = []
  const count = async () => (await query<{ n: number }>('select count(*)::int as n from previews'))[0]?.n ?? 0

  function ask({ teamId = team, seconds = 30, isIsolated = false, request = PAGE }: Wanting = {}) {
    const previews = createWaitingPreviews({ store, secrets, signals, seconds })
    const answer = previews.ask({ teamId, request, isIsolated }, stopping.signal)
    answers.push(answer)
    return answer
  }

  return {
    ask,
    async waiting(wanting) {
      const before = await count()
      const answer = ask(wanting)
      await eventually(count, (now) => now > before)
      return { answer }
    },
    rows: () => query('select * from previews'),
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
  tables: readonly string[] = ['previews'],
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
