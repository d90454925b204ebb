import { useRef, useState } from 'react'
import { Chips } from '../parts/chips.tsx'
import { ShowMore } from '../parts/long-text.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { NotShown } from '../team/not-shown.tsx'
import { SearchField } from '../team/search-field.tsx'
import { KeyRow } from './key-row.tsx'
import style from './keys.module.css'
import { type ApiKey, isEndingSoon } from './use-keys.ts'

/** So many rows are drawn at once. */
const STEP = 100

const FILTERS = {
  all: { word: 'All', has: () => true },
  soon: { word: 'Ending soon', has: isEndingSoon },
  unused: { word: 'Never used', has: ({ last_used_at: used }: ApiKey) => used === null },
  replaced: { word: 'Being replaced', has: ({ replaced }: ApiKey) => replaced },
} as const
type Filter = keyof typeof FILTERS
const NAMES = Object.keys(FILTERS) as readonly Filter[]

interface KeyListProps {
  readonly keys: readonly ApiKey[]
  /** Why keys cannot be changed. */
  readonly refused: string | null
  onRotate(key: ApiKey): void
  onRevoke(key: ApiKey): void
}

/** The keys that work, of which some are looked for. */
export function KeyList({ keys, ...acts }: KeyListProps) {
  const [filter, setFilter] = useState<Filter>('all')
  const [text, setText] = useState('')
  const [room, setRoom] = useState(STEP)
  const list = useRef<HTMLDivElement>(null)
  useKeptFocus(list)
  if (keys.length === 0)
    return <NotShown title="No key works yet" reason="Make one, and give it to the program that uses the API." />
  const found = keys.filter((key) => FILTERS[filter].has(key) && isFound(key, text))
  const chips = NAMES.map((id) => {
    const { word, has } = FILTERS[id]
    return { id, word, count: keys.filter(has).length, ...(id === 'soon' && { isBad: 'soon' as const }) }
  })
  return (
    <>
      <div className={style['filters']}>
        <Chips chips={chips} chosen={filter} onChoose={setFilter} />
        <SearchField label="Search names and prefixes" text={text} onChange={setText} />
      </div>
      <div ref={list} tabIndex={-1} role="region" aria-label="Keys that work" className={style['list']}>
        <ul className={style['rows']}>
          {found.slice(0, room).map((key) => (
            <KeyRow key={key.id} apiKey={key} {...acts} />
          ))}
        </ul>
      </div>
      <p role="status" className={style['count']}>
        {found.length === keys.length
          ? counted(keys.length)
          : `${found.length.toLocaleString('en')} of ${counted(keys.length)}`}
      </p>
      {found.length > room && (
        <ShowMore shown={room} all={found.length} what="keys" step={STEP} onMore={() => setRoom(room + STEP)} />
      )}
    </>
  )
}

const counted = (count: number): string => (count === 1 ? '1 key' : `${count.toLocaleString('en')} keys`)

const isFound = ({ name, key_prefix: prefix }: ApiKey, text: string): boolean =>
  `${name}\n${prefix}`.toLowerCase().includes(text.trim().toLowerCase())
