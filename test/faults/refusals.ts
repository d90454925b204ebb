import type { FaultWorker } from './fault-service.ts'

/** How often the store went away from the worker, as its log tells. */
export const refusals = (worker: FaultWorker): number => worker.stdout.split('the store is away').length - 1
