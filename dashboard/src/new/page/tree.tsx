import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { Family } from './family.ts'
import { openAtFirst, type TreeRow, treeRows } from './tree-rows.ts'
import style from './tree.module.css'

const ROW = 26

/** What a row of the tree says. */
interface TreeNode {
  readonly name: string
  readonly text: string
  /** It can be gone to, and not be chosen. */
  readonly isRefused?: boolean
}

interface TreeProps {
  readonly label: string
  readonly family: Family
  /** The node that keys are at. Null: none yet. */
  readonly active: number | null
  /** The node that was chosen. */
  readonly chosen: number | null
  readonly height: number
  node(index: number): TreeNode
  onGo(index: number): void
  onChoose(index: number): void
}

/**
 * A tree of any size, of which only the rows on the screen are elements. It is one stop of the Tab key: arrows go to
 * rows, open and close them, and Enter chooses one.
 */
export function Tree({ label, family, active, chosen, height, node, onGo, onChoose }: TreeProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(() => openAtFirst(family))
  const [seen, setSeen] = useState<number | null>(null)
  // What is pointed at elsewhere is shown here: all around it is opened.
  if (active !== seen) {
    setSeen(active)
    if (active !== null) setOpen(new Set([...open, ...family.ancestorsOf(active)]))
  }
  const rows = useMemo(() => treeRows(family, open), [family, open])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  })
  const at = Math.max(
    0,
    rows.findIndex(({ index }) => index === active),
  )
  useEffect(() => {
    if (active !== null) virtual.scrollToIndex(at)
  }, [active, at, virtual])
  const toggle = (index: number, isOpen: boolean) => {
    const next = new Set(open)
    if (isOpen) next.add(index)
    else next.delete(index)
    setOpen(next)
  }
  const onKey = (event: KeyboardEvent) => {
    const row = rows[at]
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const act = actionOf(event.key, { row, at, rows, family, open, page: Math.floor(height / ROW) })
    if (act === null) return
    event.preventDefault()
    if (act.kind === 'go') onGo(act.index)
    else if (act.kind === 'choose') onChoose(row.index)
    else if (act.kind !== 'stay') toggle(row.index, act.kind === 'open')
  }
  return (
    <div
      ref={box}
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={rows.length === 0 ? undefined : `${id}-${rows[at]?.index}`}
      className={style['tree']}
      style={{ maxHeight: height }}
      onKeyDown={onKey}
    >
      <div role="presentation" className={style['all']} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index: nth, start }) => {
          const row = rows[nth]
          return (
            row && (
              <Row
                key={row.index}
                id={`${id}-${row.index}`}
                row={row}
                top={start}
                node={node(row.index)}
                isOpen={open.has(row.index)}
                isActive={row.index === active}
                isChosen={row.index === chosen}
                onToggle={(isOpen) => toggle(row.index, isOpen)}
                onChoose={() => onChoose(row.index)}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

interface Around {
  readonly row: TreeRow
  readonly at: number
  readonly rows: readonly TreeRow[]
  readonly family: Family
  readonly open: ReadonlySet<number>
  readonly page: number
}
type Action = { readonly kind: 'go'; readonly index: number } | { readonly kind: 'open' | 'close' | 'choose' | 'stay' }

/** Returns what a key does at a row, as trees do it everywhere. Null: nothing. */
function actionOf(key: string, { row, at, rows, family, open, page }: Around): Action | null {
  const to = (nth: number): Action => {
    const found = rows[Math.max(0, Math.min(rows.length - 1, nth))]
    return found === undefined ? { kind: 'stay' } : { kind: 'go', index: found.index }
  }
  const isOpen = open.has(row.index)
  switch (key) {
    case 'ArrowDown':
      return to(at + 1)
    case 'ArrowUp':
      return to(at - 1)
    case 'PageDown':
      return to(at + page)
    case 'PageUp':
      return to(at - page)
    case 'Home':
      return to(0)
    case 'End':
      return to(rows.length - 1)
    case 'ArrowRight':
      return row.isParent && !isOpen ? { kind: 'open' } : row.isParent ? to(at + 1) : { kind: 'stay' }
    case 'ArrowLeft': {
      const parent = family.parentOf(row.index)
      if (isOpen) return { kind: 'close' }
      return parent === null ? { kind: 'stay' } : { kind: 'go', index: parent }
    }
    case 'Enter':
    case ' ':
      return { kind: 'choose' }
    default:
      return null
  }
}

interface RowProps {
  readonly id: string
  readonly row: TreeRow
  readonly top: number
  readonly node: TreeNode
  readonly isOpen: boolean
  readonly isActive: boolean
  readonly isChosen: boolean
  onToggle(isOpen: boolean): void
  onChoose(): void
}

const Row = ({ id, row, top, node: { name, text, isRefused = false }, isOpen, ...rest }: RowProps) => (
  // The tree has the focus, and takes the keys of its rows.
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
  <div
    id={id}
    role="treeitem"
    aria-level={row.level}
    aria-posinset={row.position}
    aria-setsize={row.siblings}
    aria-expanded={row.isParent ? isOpen : undefined}
    aria-selected={rest.isChosen}
    aria-disabled={isRefused || undefined}
    data-active={rest.isActive || undefined}
    className={style['row']}
    style={{ transform: `translateY(${top}px)`, paddingLeft: 6 + Math.min(row.level - 1, 14) * 14 }}
    onClick={rest.onChoose}
  >
    <span
      aria-hidden="true"
      className={style['arrow']}
      onClick={(event) => {
        if (!row.isParent) return
        event.stopPropagation()
        rest.onToggle(!isOpen)
      }}
    >
      {row.isParent ? (isOpen ? '▾' : '▸') : ''}
    </span>
    <span className={style['name']}>{name}</span> <bdi className={style['text']}>{text}</bdi>
  </div>
)
