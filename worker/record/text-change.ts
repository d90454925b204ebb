import type { Logger } from '../../core/logger.ts'
import type { TextDiffer } from '../../runners/text-diff/text-differ.ts'
import type { TextChange } from '../../schema/run/delivery.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Queryable } from '../../store/db/client.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import { findPageText } from '../../store/runs/page-texts.ts'

/** A run that fired. */
interface Fired {
  readonly teamId: string
  readonly runId: string
  readonly diff: Diff | null
  readonly baseline: Baseline
}

interface ExcerptPorts {
  readonly store: Queryable
  readonly differ?: TextDiffer
  readonly log: Logger
}

/**
 * Returns what a message shows of the change of a page's text. Undefined where it cannot be shown: the message then
 * says only that the page changed, and no run fails for it.
 */
export async function textChange(
  { teamId, runId, diff, baseline: { text_key: key, deliveries } }: Fired,
  after: string,
  { store, differ, log }: ExcerptPorts,
): Promise<TextChange | undefined> {
  if (!diff || !deliveries || !key) return undefined
  try {
    const before = await findPageText(store, teamId, key)
    if (before === after) return { lines_added: 0, lines_removed: 0, excerpt: '' }
    return (before !== null && (await differ?.excerpt({ before, after }, { key: teamId }))) || undefined
  } catch (error) {
    log.warn({ err: error, run_id: runId }, 'the texts of a page could not be compared; its message has no excerpt')
    return undefined
  }
}
