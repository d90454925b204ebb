import { Thread } from '../../concurrency/threads/thread.ts'
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
  const thread = new Thread<Pair, Compared>({
    file: new URL('compare-pair.ts', import.meta.url),
    name: 'comparePair',
    // This limits the heap only. Pictures are outside of the heap and are limited by their number of pixels.
    heapMb: 512,
  })

  return {
    async compare(pair, { teamId, mostMs } = { teamId: '', mostMs: timeoutMs }) {
      const refused = refusePng(pair.after) ?? (pair.before && refusePng(pair.before))
      if (refused) return { ok: false, ...refused }
      let from = 0
      const isNeeded = (): boolean => {
        from = performance.now()
        return true
      }
      try {
        const limitMs = Math.max(1, Math.ceil(Math.min(timeoutMs, mostMs)))
        const done = await thread.do(pair, { key: teamId, timeoutMs: limitMs, isNeeded })
        if (done.ok) return { ok: true, compared: done.result, tookMs: performance.now() - from }
        return { ok: false, reason: 'limit', message: done.why === 'memory' ? TOO_MUCH : TOO_LONG }
      } catch {
        return { ok: false, reason: 'picture', message: 'The picture cannot be read.' }
      }
    },
    async close() {
      await thread.settled()
      await thread.close()
    },
  }
}

const TOO_LONG = 'Comparing the pictures took too long. Watch regions, or a smaller viewport.'
const TOO_MUCH = 'Comparing the pictures took too much memory. Watch regions, or a smaller viewport.'
