import { usePermission } from '../app/use-me.ts'
import type { Action } from './bulk.ts'
import type { Row } from './ordered-rows.ts'

/** Returns why an action cannot be done with any of these monitors. Null: it can. */
export type ReasonOf = (action: Action, rows: readonly Row[]) => string | null

/** What is done only with monitors that the plan covers. */
const OF_PLAN: readonly Action[] = ['run', 'pause', 'resume']
/** How it is done where a manifest declares a monitor. */
const OF_MANIFEST: Partial<Record<Action, string>> = { label: 'edited', interval: 'edited', delete: 'deleted' }

/** Returns what is known before the API is asked: the role, the plan, what a manifest declares, what has no change. */
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
    if (OF_PLAN.includes(action) && rows.every(({ status }) => status === 'billing_paused'))
      return rows.length === 1 ? 'The plan does not cover it.' : 'The plan does not cover them.'
    if (action === 'unmute' && !rows.some(({ mute }) => mute !== null)) return 'None of them is muted.'
    const there = OF_MANIFEST[action]
    if (there === undefined || rows.some(({ managed_by: by }) => by === 'api')) return null
    return `They are declared in a cluster or a file, and are ${there} there.`
  }
}
