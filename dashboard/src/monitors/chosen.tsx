import { Notice } from '../app/notice.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import controls from '../style/controls.module.css'
import type { Action, Refusal } from './bulk.ts'
import style from './chosen.module.css'
import { WORDS } from './use-actions.ts'
import { ASKED, type Selection } from './use-selection.ts'

const SHOWN: readonly Action[] = ['run', 'pause', 'resume', 'mute', 'unmute', 'label', 'interval', 'seen', 'delete']

interface ChosenProps {
  readonly selection: Selection
  /** How many the filters leave. */
  readonly total: number
  readonly hasFilters: boolean
}

/** What may be done with the chosen monitors, how far it is, and what was refused. */
export function Chosen({ selection, total, hasFilters }: ChosenProps) {
  const { chosen, actions, act: onAct, selectAll: onAll, clear: onClear } = selection
  const reasonOf = (action: Action) => selection.reasonOf(action, [...chosen.values()])
  const { isBusy, said, refused, error } = actions
  return (
    <div className={style['chosen']}>
      {chosen.size > 0 && <b>{chosen.size.toLocaleString('en')} selected</b>}
      {!isBusy && total > 0 && chosen.size < total && (
        <button type="button" className={controls['quiet']} onClick={onAll}>
          Select all {total.toLocaleString('en')}
          {hasFilters && ' that match'}
        </button>
      )}
      {chosen.size > 0 &&
        SHOWN.map((action) => (
          <ActionButton key={action} refused={reasonOf(action)} isBusy={isBusy} onAct={() => onAct(action)}>
            {WORDS[action]}
            {ASKED.some((asked) => asked === action) && '…'}
          </ActionButton>
        ))}
      {chosen.size > 0 && !isBusy && (
        <button type="button" className={controls['quiet']} onClick={onClear}>
          Clear
        </button>
      )}
      {isBusy && (
        <button type="button" className={controls['button']} onClick={actions.stop}>
          Stop
        </button>
      )}
      <span role="status" className={style['done']}>
        {said}
      </span>
      {!isBusy && refused.length > 0 && <Refused refused={refused} />}
      {error !== null && <Notice error={error} />}
    </div>
  )
}

const Refused = ({ refused }: { readonly refused: readonly Refusal[] }) => (
  <details className={style['refused']}>
    <summary>Show what was refused</summary>
    <ul>
      {refused.map(({ id, name, why }) => (
        <li key={id}>
          <bdi>{name}</bdi>: {why}
        </li>
      ))}
    </ul>
  </details>
)
