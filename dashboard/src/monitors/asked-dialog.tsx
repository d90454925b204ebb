import { DeleteDialog } from './delete-dialog.tsx'
import { IntervalDialog } from './interval-dialog.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { MuteDialog } from './mute-dialog.tsx'
import type { Selection } from './use-selection.ts'

/** Asks what an action on monitors needs besides them. Nothing, where none is asked about. */
export function AskedDialog({ selection: { asking, answer } }: { readonly selection: Selection }) {
  if (asking === null) return null
  const { action, rows } = asking
  const common = { rows, onAnswer: answer, onClose: () => answer(null) }
  switch (action) {
    case 'delete':
      return <DeleteDialog rows={rows} onDelete={() => answer({})} onClose={common.onClose} />
    case 'mute':
      return <MuteDialog {...common} />
    case 'label':
      return <LabelsDialog {...common} />
    case 'interval':
      return <IntervalDialog {...common} />
  }
}
