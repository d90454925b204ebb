import { PAGE_CHECK } from '../../runners/check/kinds/page-check.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { createPageRecording } from '../record/page-run.ts'
import type { WorkKind } from './work-kind.ts'

/** Checks of pages, APIs and feeds. */
export const PAGE_WORK: WorkKind<PageTask> = {
  ...PAGE_CHECK,
  recording: createPageRecording,
}
