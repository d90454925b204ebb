import { extract } from './extract.ts'
import { monotonicMs } from './worker-task.ts'
import type { WorkerAnswer, WorkerBatch } from './worker-task.ts'

/** The entry of an extraction thread (`pool.ts`). Holds no secrets, no sockets and no environment; it is killed when it takes too long. */
export function runBatch({ tasks, progress }: WorkerBatch): WorkerAnswer {
  return tasks.map(({ page, config }, place) => {
    const since = monotonicMs()
    progress[1] = since
    progress[0] = place
    const extraction = extract(page, config)
    progress[2 + place] = monotonicMs() - since
    return extraction
  })
}
