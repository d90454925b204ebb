import { useMemo, useState } from 'react'
import type { RunDiff } from '../api/types.ts'
import { ShowMore } from '../parts/long-text.tsx'
import { type Hunk, hunksOf } from './difference-lines.ts'
import { LinesBeside } from './lines-beside.tsx'
import { LinesInline } from './lines-inline.tsx'
import style from './text-difference.module.css'

/** How a difference of texts is shown. */
export interface TextView {
  readonly by: 'words' | 'lines'
  readonly isInline: boolean
}

interface TextDifferenceProps {
  readonly field: RunDiff['fields'][number]
  readonly title: string
  readonly view: TextView
}

/** So many lines are elements at once, and so many more at each press. */
const LINES = 300
const MORE = 500

/** The text of a field before and after, with what is far from every change folded. */
export function TextDifference({ field, title, view }: TextDifferenceProps) {
  const [room, setRoom] = useState(LINES)
  const hunks = useMemo(() => hunksOf(field, view.by), [field, view.by])
  const shown = firstHunks(hunks, room)
  const [count, all] = [countOf(shown), countOf(hunks)]
  return (
    <section aria-label={`Text of ${title}`} className={style['difference']}>
      <h3>
        <bdi>{title}</bdi>{' '}
        <span className={style['count']}>
          {field.lines_removed} {field.lines_removed === 1 ? 'line' : 'lines'} removed, {field.lines_added} added
        </span>
      </h3>
      {field.coarse && <p className={style['note']}>The texts differ so much that they are shown as replaced.</p>}
      {hunks.length === 0 && <p className={style['note']}>Only the source of the page differs, not its text.</p>}
      {hunks.length > 0 && (view.isInline ? <LinesInline hunks={shown} by={view.by} /> : <LinesBeside hunks={shown} />)}
      {all > count && <ShowMore shown={count} all={all} what="lines" step={MORE} onMore={() => setRoom(room + MORE)} />}
    </section>
  )
}

const countOf = (hunks: readonly Hunk[]): number => hunks.reduce((sum, { rows }) => sum + rows.length, 0)

/** Returns the first hunks with so many rows, or a few more: each is drawn as a whole. */
function firstHunks(hunks: readonly Hunk[], room: number): readonly Hunk[] {
  let left = room
  return hunks.filter(({ rows }) => {
    const isShown = left > 0
    left -= rows.length
    return isShown
  })
}
