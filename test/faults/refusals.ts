import type { FaultWorker } from './world.ts'

/** How often the store has left a claim of the worker's unanswered, as its log tells. */
export const refusals = (worker: FaultWorker): number =>
  worker.stdout.split('the store did not answer a claim').length - 1
