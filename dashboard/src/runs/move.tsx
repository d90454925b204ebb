import tones from '../style/tones.module.css'
import style from './search-results.module.css'

interface MoveProps {
  readonly position: number
  /** Null: it was not listed. */
  readonly was: number | null
}

/** How a result moved in its list. */
export function Move({ position, was }: MoveProps) {
  if (was === null) return <span className={tones['good']}>new</span>
  if (was === position) return <span className={style['soft']}>same</span>
  const by = Math.abs(was - position)
  return was > position ? (
    <span className={tones['good']}>▲ {by} up</span>
  ) : (
    <span className={tones['bad']}>▼ {by} down</span>
  )
}
