import { Notice } from '../app/notice.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import controls from '../style/controls.module.css'
import style from './deliveries.module.css'
import { type DeliverySelection, tooMany } from './use-delivery-selection.ts'

/** What may be done with the selected deliveries, or with all that can be sent again, and how it ended. */
export function ChosenDeliveries({ selection }: { readonly selection: DeliverySelection }) {
  const { chosen, matching, acts } = selection
  const hasChosen = chosen.length > 0
  return (
    <footer className={style['foot']}>
      {hasChosen && <b>{chosen.length.toLocaleString('en')} selected</b>}
      {hasChosen && (
        <>
          <ActionButton
            refused={selection.reasonOf('replay')}
            isBusy={acts.isBusy}
            onAct={() => selection.act('replay')}
          >
            Send again
          </ActionButton>
          <ActionButton refused={selection.reasonOf('send')} isBusy={acts.isBusy} onAct={() => selection.act('send')}>
            Send now
          </ActionButton>
          <ActionButton refused={selection.reasonOf('drop')} isBusy={acts.isBusy} onAct={() => selection.act('drop')}>
            Drop…
          </ActionButton>
          <button type="button" className={controls['quiet']} onClick={selection.clear}>
            Clear
          </button>
        </>
      )}
      {!hasChosen && matching > 0 && (
        <ActionButton refused={acts.refused ?? tooMany(matching)} isBusy={acts.isBusy} onAct={selection.replayAll}>
          {matching === 1
            ? 'Send the one that failed again'
            : `Send all ${matching.toLocaleString('en')} that failed again`}
        </ActionButton>
      )}
      <span role="status">{acts.isBusy ? 'Working…' : acts.said}</span>
      {acts.error !== null && <Notice error={acts.error} />}
    </footer>
  )
}
