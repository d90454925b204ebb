import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { FocusKeeper } from './focus-keeper.ts'
import style from './grid.module.css'
import { leaveAt, leftAt } from './left-at.ts'
import { isShortcut } from './single-keys.ts'
import { useShortcut } from './use-shortcut.ts'

export interface GridColumn {
  readonly id: string
  readonly title: string
}

/** The cells of a row, by the ids of their columns. */
export type GridCells = Readonly<Record<string, ReactNode>>

interface GridProps {
  readonly label: string
  readonly columns: readonly GridColumn[]
  readonly count: number
  readonly rowHeight: number
  readonly isBusy: boolean
  /** Whether the grid that stood here before had the focus. The next one takes it over. */
  readonly focus: FocusKeeper
  /** Returns the cells of a row; null: it is not read yet. */
  row(index: number): { readonly cells: GridCells; readonly isChosen: boolean } | null
  onShown(first: number, last: number): void
  /** The row that keys are about. */
  onActive(index: number): void
  onOpen(index: number): void
  /** Chooses a row, or with `isRange` all from the one that was chosen last. */
  onChoose(index: number, isRange: boolean): void
}

/**
 * A list of any length as an ARIA grid, of which only the rows on the screen are elements. It is one stop of the Tab
 * key. The focus stays on the grid, and the row that it is at is named by `aria-activedescendant`, so that scrolling
 * may remove any row.
 */
export function Grid(props: GridProps) {
  const { count, rowHeight, onShown, onActive } = props
  const box = useRef<HTMLDivElement>(null)
  const [left] = useState(() => leftAt().row)
  const [active, setActive] = useState(left ?? 0)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onShown(first, last), [onShown, first, last])
  useEffect(() => virtual.measure(), [virtual, rowHeight])
  useKeptFocus(box, left !== null, props.focus)
  const isRead = count > 0
  useEffect(() => {
    if (isRead && left !== null) virtual.scrollToIndex(left, { align: 'center' })
  }, [isRead, left, virtual])
  const at = Math.min(active, Math.max(0, count - 1))
  useEffect(() => onActive(at), [onActive, at])
  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to))
    setActive(next)
    virtual.scrollToIndex(next)
    return next
  }
  // They move in the list wherever the focus is, but where somebody types.
  const step = (by: number) => {
    box.current?.focus({ preventScroll: true })
    move(at + by)
  }
  useShortcut('list', 'j', () => step(1))
  useShortcut('list', 'k', () => step(-1))
  return (
    <div className={style['frame']} aria-busy={props.isBusy}>
      <div
        ref={box}
        role="grid"
        className={style['grid']}
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={count + 1}
        aria-colcount={props.columns.length}
        aria-multiselectable="true"
        aria-activedescendant={count === 0 ? undefined : rowId(at)}
        onKeyDown={(event) => onKey(event, { at, page: pageOf(box, rowHeight), move, props })}
      >
        <div role="row" aria-rowindex={1} className={`${style['row']} ${style['head']}`}>
          {props.columns.map(({ id, title }) => (
            <div key={id} role="columnheader" className={style[id]}>
              {title}
            </div>
          ))}
        </div>
        <div role="rowgroup" className={style['body']} style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => (
            <GridRow key={item.index} item={item} isActive={item.index === at} props={props} onActive={setActive} />
          ))}
        </div>
      </div>
    </div>
  )
}

/** Takes the focus where a person came back to their row, or from the grid that stood here before. */
function useKeptFocus(box: RefObject<HTMLElement | null>, isBack: boolean, focus: FocusKeeper): void {
  useLayoutEffect(() => {
    const grid = box.current
    const hadFocus = focus.take()
    if (isBack || hadFocus) grid?.focus({ preventScroll: true })
    return () => focus.leave(grid?.contains(document.activeElement) ?? false)
  }, [box, isBack, focus])
}

const rowId = (index: number): string => `row-${index}`
const pageOf = (box: RefObject<HTMLDivElement | null>, rowHeight: number): number =>
  Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 2)

interface Keyed {
  readonly at: number
  readonly page: number
  readonly props: GridProps
  move(to: number): number
}

function onKey(event: KeyboardEvent, { at, page, move, props }: Keyed): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: props.count - 1,
  }
  const to = steps[event.key]
  if (to !== undefined) {
    const next = move(to)
    if (event.shiftKey) props.onChoose(next, true)
  } else if (event.key === 'Enter') open(at, props)
  else if (event.key === ' ' || (event.key === 'x' && isShortcut(event.nativeEvent))) props.onChoose(at, event.shiftKey)
  else return
  event.preventDefault()
}

function open(index: number, props: GridProps): void {
  leaveAt({ row: index })
  props.onOpen(index)
}

interface GridRowProps {
  readonly item: VirtualItem
  readonly isActive: boolean
  readonly props: GridProps
  onActive(index: number): void
}

function GridRow({ item, isActive, props, onActive }: GridRowProps) {
  const { index } = item
  const shown = props.row(index)
  const names = [style['row'], isActive && style['active'], shown?.isChosen && style['chosen']]
  return (
    // Keys go to the grid, which has the focus.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={rowId(index)}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={shown?.isChosen ?? false}
      className={names.filter(Boolean).join(' ')}
      style={{ height: item.size, transform: `translateY(${item.start}px)` }}
      // A link in the row goes on before the row hears of the click.
      onClickCapture={() => leaveAt({ row: index })}
      onClick={(event) => {
        onActive(index)
        if (event.target instanceof Element && event.target.closest('a, button') !== null) return
        if (event.shiftKey || event.ctrlKey || event.metaKey) props.onChoose(index, event.shiftKey)
        else props.onOpen(index)
      }}
    >
      {props.columns.map(({ id }, nth) => (
        <div key={id} role="gridcell" aria-colindex={nth + 1} className={style[id]}>
          {shown === null ? nth === 1 && <span className={style['unread']} /> : shown.cells[id]}
        </div>
      ))}
    </div>
  )
}
