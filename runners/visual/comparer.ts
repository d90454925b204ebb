import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Compared, Pair } from './compare.ts'
import { COMPARE_MS, refusePng } from './limits.ts'

/** A comparison, or why there is none, as a sentence for a person. */
export type Comparison =
  | { readonly ok: true; readonly compared: Compared }
  | { readonly ok: false; readonly reason: 'picture' | 'limit'; readonly message: string }

/** Compares pictures in a thread that can be killed: they come from strangers' pages. */
export interface Comparer {
  /** Never rejects for what a picture does. Calls wait for one another: what one takes is too large to have twice. */
  compare(pair: Pair): Promise<Comparison>
  close(): Promise<void>
}

interface ComparerOptions {
  /** Milliseconds for one comparison; waiting does not count. */
  readonly timeoutMs?: number
}

/** Makes a comparer; its one thread starts when first needed. */
export function createComparer({ timeoutMs = COMPARE_MS }: ComparerOptions = {}): Comparer {
  const threads = new Piscina<Pair, Compared>({
    filename: fileURLToPath(new URL('worker.ts', import.meta.url)),
    name: 'comparePair',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    concurrentTasksPerWorker: 1,
    // The heap only; pictures lie outside of it, bounded by their number of pixels.
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    env: {},
    execArgv: [],
    recordTiming: false,
  })
  let line: Promise<unknown> = Promise.resolve()

  async function run(pair: Pair): Promise<Comparison> {
    const refused = refusePng(pair.after) ?? (pair.before && refusePng(pair.before))
    if (refused) return { ok: false, ...refused }
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return { ok: true, compared: await threads.run(pair, { signal }) }
    } catch (error) {
      if (signal.aborted) return { ok: false, reason: 'limit', message: TOO_LONG }
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        return { ok: false, reason: 'limit', message: TOO_MUCH }
      return { ok: false, reason: 'picture', message: 'The picture cannot be read.' }
    }
  }

  return {
    compare(pair) {
      const result = line.then(() => run(pair))
      line = result.catch(() => undefined)
      return result
    },
    async close() {
      await line
      await threads.destroy()
    },
  }
}

const TOO_LONG = 'Comparing the pictures took too long. Watch regions, or a smaller viewport.'
const TOO_MUCH = 'Comparing the pictures took too much memory. Watch regions, or a smaller viewport.'
