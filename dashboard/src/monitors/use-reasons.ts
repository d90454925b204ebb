import { usePermission } from '../app/use-me.ts'
import type { Action } from './bulk.ts'
import type { Row } from './ordered-rows.ts'

/** Returns why an action cannot be done with any of these monitors. Null: it can. */
export type ReasonOf = (action: Action, rows: readonly Row[]) => string | null

/** What is done only with monitors that the plan covers. */
const isOfPlan = (action: Action): boolean => action === 'run' || action === 'pause' || action === 'resume'

/** Returns what is known before the API is asked: the role, what the plan does not cover, what a manifest declares, what has no change. */
export function useReasons(): ReasonOf {
  const mayWrite = usePermission('monitors.write')
  const mayMark = usePermission('changes.mark')
  return (action, rows) => {
    if (action === 'seen' || action === 'unseen') {
      if (!mayMark) return 'Your role may not mark changes.'
      const hasChange = rows.some(({ last_change: change }) => Boolean(change?.run_id))
      return hasChange ? null : 'None of them has a change to mark.'
    }
    if (!mayWrite) return 'Your role may only read.'
    if (isOfPlan(action) && rows.every(({ status }) => status === 'billing_paused'))
      return rows.length === 1 ? 'The plan does not cover it.' : 'The plan does not cover them.'
    if (action === 'unmute' && !rows.some(({ mute }) => mute !== null)) return 'None of them is muted.'
    if ((action === 'label' || action === 'interval') && !rows.some(({ managed_by: by }) => by === 'api'))
      return 'They are declared in a cluster or a file, and are edited there.'
    if (action === 'delete' && !rows.some(({ managed_by: by }) => by === 'api'))
      return 'They are declared in a cluster or a file, and are deleted there.'
    return null
  }
}
