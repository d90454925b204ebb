import type { Issue } from '../../api/client.ts'
import { issuesAt } from '../draft/path-of.ts'
import style from '../new.module.css'

interface FaultLineProps {
  readonly id: string
  readonly issues: readonly Issue[]
  readonly path: string
}

/** What is wrong with a field, below it. */
export function FaultLine({ id, issues, path }: FaultLineProps) {
  const found = issuesAt(issues, path)
  return (
    found.length > 0 && (
      <p id={id} role="alert" className={style['fault']}>
        {found
          .map(
            ({ path: at, message }) =>
              `${at === path ? '' : `${at.slice(path.length).replace(/^\./, '')} `}${message}.`,
          )
          .join(' ')}
      </p>
    )
  )
}

/** Returns what names the fault of a field to a screen reader. */
export const faultOf = ({ id, issues, path }: FaultLineProps) =>
  issuesAt(issues, path).length > 0 ? { 'aria-invalid': true, 'aria-describedby': id } : {}
