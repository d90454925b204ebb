import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import { Notice } from '../app/notice.tsx'
import { usePermission } from '../app/use-me.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
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
  const refused = mayMark ? null : 'You may not mark changes.'
  const act = () => isUnseen && refused === null && !mark.isPending && mark.mutate()
  useShortcut('run', 'e', act)
  useCommands(isUnseen ? [{ id: 'seen', title: 'Mark this change as seen', refused, act }] : [])
  if (!isUnseen) return null
  return (
    <>
      {mark.error !== null && <Notice error={mark.error} />}
      <ActionButton refused={refused} isBusy={mark.isPending} aria-keyshortcuts="e" onAct={act}>
        Mark seen <kbd aria-hidden="true">e</kbd>
      </ActionButton>
    </>
  )
}
