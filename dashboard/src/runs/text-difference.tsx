import { useMemo, useState } from 'react'
import type { RunDiff } from '../api/types.ts'
import { ShowMore } from '../parts/long-text.tsx'
import controls from '../style/controls.module.css'
import { differs, type Hunk, hunksOf, inlineOf, type InlineLine, type Line, type Row } from './difference-lines.ts'
import { Parts } from './parts-of-line.tsx'
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
const MORE = 1_000

/** The text of a field before and after, with what is far from every change folded. */
export function TextDifference({ field, title, view }: TextDifferenceProps) {
  const [room, setRoom] = useState(LINES)
  const hunks = useMemo(() => hunksOf(field, view.by), [field, view.by])
  const shown = firstRows(hunks, room)
  const all = hunks.reduce((sum, { rows }) => sum + rows.length, 0)
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
      {hunks.length > 0 && (view.isInline ? <Inline hunks={shown} by={view.by} /> : <Beside hunks={shown} />)}
      {all > room && <ShowMore shown={room} all={all} what="lines" step={MORE} onMore={() => setRoom(room + MORE)} />}
    </section>
  )
}

function firstRows(hunks: readonly Hunk[], room: number): readonly Hunk[] {
  let left = room
  return hunks.flatMap(({ skipped, rows }) => {
    if (left <= 0) return []
    const shown = rows.slice(0, left)
    left -= shown.length
    return [{ skipped, rows: shown }]
  })
}

const Folded = ({ count, columns }: { readonly count: number; readonly columns: number }) =>
  count > 0 && (
    <tr className={style['folded']}>
      <td colSpan={columns}>{count === 1 ? '1 line is the same' : `${count} lines are the same`}</td>
    </tr>
  )

/** What a key jumps to is the first line of each change. */
const markOf = (isFirst: boolean) => (isFirst ? { 'data-change': '', tabIndex: -1 } : {})

const Beside = ({ hunks }: { readonly hunks: readonly Hunk[] }) => (
  <table className={`${style['lines']} ${style['beside']}`}>
    <colgroup>
      <col className={style['narrow']} />
      <col />
      <col className={style['narrow']} />
      <col />
    </colgroup>
    <thead>
      <tr>
        <th scope="col" colSpan={2}>
          Before
        </th>
        <th scope="col" colSpan={2}>
          After
        </th>
      </tr>
    </thead>
    {hunks.map(({ skipped, rows }, nth) => (
      <tbody key={nth}>
        <Folded count={skipped} columns={4} />
        {rows.map((row, at) => (
          <tr key={at} {...markOf(isFirst(rows, at))}>
            <Side line={row.before} mark={differs(row) ? 'removed' : null} />
            <Side line={row.after} mark={differs(row) ? 'added' : null} />
          </tr>
        ))}
      </tbody>
    ))}
  </table>
)

const isFirst = (rows: readonly Row[], at: number): boolean => {
  const [row, last] = [rows[at], rows[at - 1]]
  return row !== undefined && differs(row) && (last === undefined || !differs(last))
}

function Side({ line, mark }: { readonly line: Line | null; readonly mark: 'removed' | 'added' | null }) {
  if (line === null)
    return (
      <td colSpan={2} className={style['none']}>
        <span className={controls['unseen-by-eye']}>no line</span>
      </td>
    )
  return (
    <>
      <td className={style['number']}>{line.number}</td>
      <td className={mark === null ? style['text'] : `${style['text']} ${style[mark]}`} dir="auto">
        <Parts parts={line.parts} />
      </td>
    </>
  )
}

function Inline({ hunks, by }: { readonly hunks: readonly Hunk[]; readonly by: TextView['by'] }) {
  return (
    <table className={`${style['lines']} ${style['inline']}`}>
      <colgroup>
        <col className={style['narrow']} />
        <col className={style['narrow']} />
        <col />
      </colgroup>
      <thead className={style['unseen']}>
        <tr>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">Text</th>
        </tr>
      </thead>
      {hunks.map(({ skipped, rows }, nth) => {
        const lines = inlineOf(rows, by)
        return (
          <tbody key={nth}>
            <Folded count={skipped} columns={3} />
            {lines.map((line, at) => (
              <tr key={at} {...markOf(isMarked(line) && !isMarked(lines[at - 1]))}>
                <td className={style['number']}>{line.before}</td>
                <td className={style['number']}>{line.after}</td>
                <td className={`${style['text']} ${style[wholeMark(line)] ?? ''}`} dir="auto">
                  <Parts parts={line.parts} />
                </td>
              </tr>
            ))}
          </tbody>
        )
      })}
    </table>
  )
}

const isMarked = (line: InlineLine | undefined): boolean =>
  line !== undefined && (wholeMark(line) !== '' || line.parts.some(({ kind }) => kind !== 'same'))

const wholeMark = ({ before, after }: InlineLine): 'added' | 'removed' | '' => {
  if (before === null) return 'added'
  return after === null ? 'removed' : ''
}
