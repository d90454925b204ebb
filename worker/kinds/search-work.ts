import { SEARCH_CHECK } from '../../runners/check/kinds/search-check.ts'
import type { SerpTask } from '../../runners/check/task.ts'
import { createSearchRecording } from '../record/search-run.ts'
import type { WorkKind } from './work-kind.ts'

/** Checks of searches. */
export const SEARCH_WORK: WorkKind<SerpTask> = {
  ...SEARCH_CHECK,
  recording: createSearchRecording,
}
