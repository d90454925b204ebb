import { PAGE_CHECK } from '../../runners/check/kinds/page-check.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { CLAIMED_PAGE, type ClaimedPage } from '../../store/queue/claim.ts'
import { createPageRecording } from '../record/page-run.ts'
import { lookOutcomeOf } from './look-outcome.ts'
import { pageOutcomeOf } from './page-outcome.ts'
import { createPageSettling } from './page-settling.ts'
import { pageTaskOf } from './page-task.ts'
import type { WorkKind } from './work-kind.ts'

/** Checks of pages, APIs and feeds. */
export const PAGE_WORK: WorkKind<PageTask, ClaimedPage> = {
  ...PAGE_CHECK,
  claimed: CLAIMED_PAGE,
  taskOf: pageTaskOf,
  isProxied: true,
  outcomeOf: (reported, held) =>
    held.task.looks === true ? lookOutcomeOf(reported, held) : pageOutcomeOf(reported, held),
  settling: createPageSettling,
  recording: createPageRecording,
}
