import { memo } from 'react'
import { type Hunk, inlineOf, type InlineLine } from './difference-lines.ts'
import { FoldedLines, jumpMark } from './folded-lines.tsx'
import { Parts } from './parts-of-line.tsx'
import style from './text-difference.module.css'

interface LinesInlineProps {
  readonly hunks: readonly Hunk[]
  readonly by: 'words' | 'lines'
}

/** Lines of both texts, one below the other. */
export const LinesInline = ({ hunks, by }: LinesInlineProps) => (
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
    {hunks.map((hunk, nth) => (
      <OneHunk key={nth} hunk={hunk} by={by} />
    ))}
  </table>
)

const OneHunk = memo(({ hunk: { skipped, goesOn, rows }, by }: HunkProps) => {
  const lines = inlineOf(rows, by)
  return (
    <tbody>
      <FoldedLines count={skipped} columns={3} />
      {lines.map((line, at) => {
        const last = lines[at - 1]
        const isFirst = isMarked(line) && !(last ? isMarked(last) : goesOn)
        return (
          <tr key={at} {...jumpMark(isFirst)}>
            <td className={style['number']}>{line.before}</td>
            <td className={style['number']}>{line.after}</td>
            <td className={`${style['text']} ${style[wholeMark(line)] ?? ''}`} dir="auto">
              <Parts parts={line.parts} />
            </td>
          </tr>
        )
      })}
    </tbody>
  )
})
interface HunkProps {
  readonly hunk: Hunk
  readonly by: LinesInlineProps['by']
}

const isMarked = (line: InlineLine): boolean => wholeMark(line) !== '' || line.parts.some(({ kind }) => kind !== 'same')

function wholeMark({ before, after }: InlineLine): 'added' | 'removed' | '' {
  if (before === null) return 'added'
  return after === null ? 'removed' : ''
}
