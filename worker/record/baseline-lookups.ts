import { type Batcher, createBatcher } from '../../concurrency/batches/batch-writer.ts'
import { whileStoreAway } from '../../store/db/client.ts'
import { type Baseline, readBaselines } from '../../store/queue/baselines.ts'
import type { RecordingParts } from './recording.ts'
import { BATCH_WAIT_MS } from './run-writers.ts'

/** A baseline that is looked up in a batch. */
export interface Lookup {
  readonly no: number
  readonly fence: number
  found?: Baseline | undefined
}

/** Returns what reads the baselines of several checks at once. */
export function createLookups({ store, log, patienceMs }: RecordingParts): Batcher<Lookup> {
  async function lookUp(items: readonly Lookup[]): Promise<void> {
    const baselines = await whileStoreAway(() => readBaselines(store, items), { log, patienceMs })
    for (const item of items) item.found = baselines.get(item.no)
  }
  return createBatcher<Lookup>({ maxItems: 500, maxWaitMs: BATCH_WAIT_MS, parallel: 4, flush: lookUp })
}
