import { type ReactNode, useState } from 'react'
import style from '../new.module.css'
import own from './folded.module.css'

interface FoldedProps {
  readonly summary: string
  /** It was set before, so it is open at first. */
  readonly isSet: boolean
  /** Something in it is wrong, so it is opened. */
  readonly hasFault?: boolean
  readonly children: ReactNode
}

/** Settings that are folded. What a person opens stays open, whatever is typed. */
export function Folded({ summary, isSet, hasFault = false, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(isSet)
  const [hadFault, setHadFault] = useState(false)
  if (hasFault !== hadFault) {
    setHadFault(hasFault)
    if (hasFault) setOpen(true)
  }
  return (
    <details className={style['others']} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      <div className={own['within']}>{children}</div>
    </details>
  )
}
