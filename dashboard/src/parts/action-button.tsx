import { type ComponentProps, type ReactNode, useId } from 'react'
import controls from '../style/controls.module.css'
import style from './action-button.module.css'

interface ActionButtonProps extends Pick<ComponentProps<'button'>, 'aria-keyshortcuts'> {
  /** Why it cannot be done. Null: it can. */
  readonly refused: string | null
  /** It is being done. */
  readonly isBusy?: boolean
  /** It is what the screen is for. */
  readonly isMain?: boolean
  /** Beside the look of a button. */
  readonly className?: string | undefined
  /** How it is named where its words alone do not say what it is about. */
  readonly label?: string
  readonly onAct: () => void
  readonly children: ReactNode
}

/**
 * A button that says why it cannot be used: to a pointer over it, and to everybody who comes to it by the keyboard or a
 * finger. A `disabled` one would not be reached.
 */
export function ActionButton(props: ActionButtonProps) {
  const { refused, isBusy = false, isMain = false, className = '', label, onAct, children, ...rest } = props
  const reason = useId()
  const look = `${controls['button']} ${isMain && refused === null ? controls['main'] : ''} ${className}`.trim()
  const button = (about: ComponentProps<'button'>) => (
    <button type="button" className={look} aria-label={label} {...rest} {...about}>
      {children}
    </button>
  )
  // A button that is disabled would lose the focus to nowhere.
  if (refused === null) return isBusy ? button({ 'aria-disabled': true }) : button({ onClick: onAct })
  return (
    <span className={style['whole']}>
      {button({ 'aria-disabled': true, 'aria-describedby': reason })}
      <span role="tooltip" id={reason} className={style['reason']}>
        {refused}
      </span>
    </span>
  )
}
