import { useState } from 'react'
import tones from '../style/tones.module.css'
import style from './json-tree.module.css'
import { LongText, ShowMore } from './long-text.tsx'

const ENTRIES = 50
const MORE = 200

interface JsonTreeProps {
  readonly value: unknown
  /** What stands before it: its key. */
  readonly name?: string
  /** It is open at first. */
  readonly isOpen?: boolean
}

/** A value as a tree. A branch is made when it is opened, and only so many of its entries: it may be of any size. */
export function JsonTree({ value, name, isOpen = false }: JsonTreeProps) {
  const [shows, setShows] = useState(isOpen)
  if (typeof value !== 'object' || value === null)
    return (
      <div className={style['leaf']}>
        <Name name={name} />
        {typeof value === 'string' ? <LongText text={JSON.stringify(value)} most={400} /> : String(value)}
      </div>
    )
  const count = Array.isArray(value) ? value.length : Object.keys(value).length
  return (
    <details
      className={style['branch']}
      open={shows}
      onToggle={(event) => event.target === event.currentTarget && setShows(event.currentTarget.open)}
    >
      <summary>
        <Name name={name} />
        <span className={tones['soft']}>{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </summary>
      {shows && <Entries value={value} />}
    </details>
  )
}

const Name = ({ name }: { readonly name: string | undefined }) =>
  name !== undefined && <bdi className={style['name']}>{`${name.slice(0, 200)}: `}</bdi>

function Entries({ value }: { readonly value: object }) {
  const [room, setRoom] = useState(ENTRIES)
  const all = Object.entries(value)
  return (
    <div className={style['entries']}>
      {all.slice(0, room).map(([key, child]) => (
        <JsonTree key={key} name={key} value={child} />
      ))}
      {all.length > room && (
        <ShowMore shown={room} all={all.length} what="entries" step={MORE} onMore={() => setRoom(room + MORE)} />
      )}
    </div>
  )
}
