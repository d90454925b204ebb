import type { PageTask } from '../../runners/check/task.ts'
import type { FetchMethod, FetchReason } from '../../schema/run/run.ts'
import type { FetchedFacts } from '../../schema/runner-api.ts'

/** Returns how a runner says that it fetched. */
export const fetchedOf = ({ status, content_type: contentType, bytes, fetch_ms: durationMs }: FetchedFacts) => ({
  status,
  contentType,
  bytes,
  durationMs,
})

/** Returns why the layer was used. It follows from the task, so a runner is not asked. */
export function reasonOf(method: FetchMethod | null, { reason }: PageTask): FetchReason | null {
  if (method === 'proxy') return 'refused'
  return method === 'browser' ? reason : null
}
