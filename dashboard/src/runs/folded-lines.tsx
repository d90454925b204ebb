import style from './text-difference.module.css'

/** Stands in place of lines that are the same in both texts. */
export const FoldedLines = ({ count, columns }: { readonly count: number; readonly columns: number }) =>
  count > 0 && (
    <tr className={style['folded']}>
      <td colSpan={columns}>{count === 1 ? '1 line is the same' : `${count} lines are the same`}</td>
    </tr>
  )

/** Keys jump to the first line of each change. */
export const jumpMark = (isFirst: boolean) => (isFirst ? { 'data-change': '', tabIndex: -1 } : {})
