import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { createInTurn } from '../../concurrency/gates/in-turn.ts'
import { ignoreLateErrors } from '../../concurrency/threads/ignore-late-errors.ts'
import { COMPARE_MS, refusePng } from '../../runners/browser/page/picture-limits.ts'
import type { Compared, Pair } from './compare.ts'

/** A comparison, or the reason why there is none, as a sentence for the user. */
type Comparison =
  | { readonly ok: true; readonly compared: Compared; readonly tookMs: number }
  | { readonly ok: false; readonly reason: 'picture' | 'limit'; readonly message: string }

/** Compares pictures in a thread that can be killed, because the pictures come from untrusted pages. */
export interface Comparer {
  /**
   * Never rejects because of a picture. Comparisons run one at a time, and teams take turns: one comparison needs too
   * much memory to run two at once.
   */
  compare(pair: Pair, allowance?: Allowance): Promise<Comparison>
  close(): Promise<void>
}

/** The team, and the time limit of a comparison. */
interface Allowance {
  readonly teamId: string
  /** Milliseconds that remain, if these are fewer than the limit for one comparison. */
  readonly mostMs: number
}

interface ComparerOptions {
  /** Milliseconds for one comparison; waiting does not count. */
  readonly timeoutMs?: number
}

/** Creates a comparer. Its single thread starts when it is first needed. */
export function createComparer({ timeoutMs = COMPARE_MS }: ComparerOptions = {}): Comparer {
  const threads = ignoreLateErrors(
    new Piscina<Pair, Compared>({
      filename: fileURLToPath(new URL('compare-pair.ts', import.meta.url)),
      name: 'comparePair',
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 30_000,
      concurrentTasksPerWorker: 1,
      // This limits the heap only. Pictures are outside of the heap and are limited by their number of pixels.
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      env: {},
      execArgv: [],
      recordTiming: false,
    }),
  )
  const turns = createInTurn()

  async function run(pair: Pair, mostMs: number): Promise<Comparison> {
    const refused = refusePng(pair.after) ?? (pair.before && refusePng(pair.before))
    if (refused) return { ok: false, ...refused }
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(timeoutMs, mostMs))))
    const from = performance.now()
    try {
      const compared = await threads.run(pair, { signal })
      return { ok: true, compared, tookMs: performance.now() - from }
    } catch (error) {
      if (signal.aborted) return { ok: false, reason: 'limit', message: TOO_LONG }
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        return { ok: false, reason: 'limit', message: TOO_MUCH }
      return { ok: false, reason: 'picture', message: 'The picture cannot be read.' }
    }
  }

  return {
    async compare(pair, { teamId, mostMs } = { teamId: '', mostMs: timeoutMs }) {
      const found = await turns.do(() => run(pair, mostMs), { key: teamId })
      if (found === null) throw new TypeError('no signal ends the wait for a comparison')
      return found
    },
    async close() {
      await turns.rests()
      await threads.destroy()
    },
  }
}

const TOO_LONG = 'Comparing the pictures took too long. Watch regions, or a smaller viewport.'
const TOO_MUCH = 'Comparing the pictures took too much memory. Watch regions, or a smaller viewport.'
