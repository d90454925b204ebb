import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import { Notice } from '../app/notice.tsx'
import { usePermission } from '../app/use-me.ts'
import { useShortcut } from '../app/use-shortcut.ts'
import controls from '../style/controls.module.css'
import type { ListedChange } from './use-run.ts'

/** Marks a change, and the older ones of its monitor, as seen. A run is not marked by being opened. */
export function SeenButton({ change }: { readonly change: ListedChange | null }) {
  const mayMark = usePermission('changes.mark')
  const queries = useQueryClient()
  const body = change && { until: change.run_id, monitor_ids: [change.monitor.id] }
  const mark = useMutation({
    mutationFn: () => ask('/v1/changes/seen', { method: 'POST', ...(body && { body }) }),
    onSettled: () =>
      Promise.all(['changes', 'counts', 'overview'].map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  })
  const isUnseen = change !== null && !change.seen
  useShortcut('e', () => isUnseen && mayMark && !mark.isPending && mark.mutate())
  if (!isUnseen) return null
  return (
    <>
      {mark.error !== null && <Notice error={mark.error} />}
      <button
        type="button"
        className={controls['button']}
        disabled={!mayMark || mark.isPending}
        title={mayMark ? undefined : 'You may not mark changes.'}
        aria-keyshortcuts="e"
        onClick={() => mark.mutate()}
      >
        Mark seen <kbd aria-hidden="true">e</kbd>
      </button>
    </>
  )
}
