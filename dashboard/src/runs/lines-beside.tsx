import { memo } from 'react'
import controls from '../style/controls.module.css'
import { differs, type Hunk, type Line } from './difference-lines.ts'
import { FoldedLines, jumpMark } from './folded-lines.tsx'
import { Parts } from './parts-of-line.tsx'
import style from './text-difference.module.css'

/** Lines before beside those after. */
export const LinesBeside = ({ hunks }: { readonly hunks: readonly Hunk[] }) => (
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
    {hunks.map((hunk, nth) => (
      <OneHunk key={nth} hunk={hunk} />
    ))}
  </table>
)

const OneHunk = memo(({ hunk: { skipped, goesOn, rows } }: { readonly hunk: Hunk }) => (
  <tbody>
    <FoldedLines count={skipped} columns={4} />
    {rows.map((row, at) => {
      const [isChanged, last] = [differs(row), rows[at - 1]]
      const isFirst = isChanged && !(last ? differs(last) : goesOn)
      return (
        <tr key={at} {...jumpMark(isFirst)}>
          <Side line={row.before} mark={isChanged ? 'removed' : null} />
          <Side line={row.after} mark={isChanged ? 'added' : null} />
        </tr>
      )
    })}
  </tbody>
))

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
