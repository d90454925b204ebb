import { extract } from './extract.ts'
import { monotonicMs } from './worker-task.ts'
import type { WorkerAnswer, WorkerBatch } from './worker-task.ts'

/** The entry of an extraction thread (`pool.ts`). Holds no secrets, no sockets and no environment; it is killed when it takes too long. */
export function runBatch({ tasks, progress }: WorkerBatch): WorkerAnswer {
  return tasks.map(({ page, config }, place) => {
    progress[1] = monotonicMs()
    progress[0] = place
    return extract(page, config)
  })
}
