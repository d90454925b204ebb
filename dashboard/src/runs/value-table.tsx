import { useState } from 'react'
import type { Run } from '../api/types.ts'
import { WHOLE_PAGE } from '../monitors/values.ts'
import { LongText, ShowMore } from '../parts/long-text.tsx'
import tones from '../style/tones.module.css'
import { itemsOf } from './list-items.ts'
import style from './run.module.css'
import type { Comparison } from './use-comparison.ts'

const percents = new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'exceptZero' })

/** The fields that differ, before and after. */
export function ChangedValues({ fields }: { readonly fields: Comparison['fields'] }) {
  if (fields.length === 0) return null
  return (
    <table className={style['table']}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">By</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, before, after, percent }) => (
          <tr key={field} data-change="" tabIndex={-1}>
            <th scope="row">
              <bdi>{field}</bdi>
            </th>
            <Sides before={before} after={after} />
            <td className={style['percent']}>{percent === null ? '' : `${percents.format(percent)} %`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A value before and after; of lists, the items that only one of them has. */
function Sides({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const items = itemsOf(before, after)
  if (items === null)
    return (
      <>
        <td>{valueOr(before, 'new')}</td>
        <td>{valueOr(after, 'gone')}</td>
      </>
    )
  return (
    <>
      <td>
        <Items items={items.removed} word="gone" />
      </td>
      <td>
        <Items items={items.added} word="new" />
      </td>
    </>
  )
}

const ITEMS = 20

function Items({ items, word }: { readonly items: readonly unknown[]; readonly word: string }) {
  const [room, setRoom] = useState(ITEMS)
  if (items.length === 0) return <span className={tones['soft']}>nothing {word}</span>
  return (
    <>
      <span className={tones['soft']}>
        {items.length === 1 ? '1 item' : `${items.length} items`} {word}
      </span>
      <ul className={style['items']}>
        {items.slice(0, room).map((item, nth) => (
          <li key={nth}>
            {word === 'gone' ? (
              <del>
                <Value value={item} />
              </del>
            ) : (
              <ins>
                <Value value={item} />
              </ins>
            )}
          </li>
        ))}
      </ul>
      {items.length > room && (
        <ShowMore shown={room} all={items.length} what="items" step={200} onMore={() => setRoom(room + 200)} />
      )}
    </>
  )
}

const valueOr = (value: unknown, absent: string) =>
  value === undefined || value === null ? <span className={tones['soft']}>{absent}</span> : <Value value={value} />

/** The hash of a whole page shows that something differs; its digits mean nothing to people. */
export const nameOf = (field: string): string => (field === WHOLE_PAGE ? 'Text of the page' : field)

const FIELDS = 30

/** All values of a run, one below the other. */
export function AllValues({ values }: { readonly values: Run['extracted'] }) {
  const [room, setRoom] = useState(FIELDS)
  const all = Object.entries(values).filter(([field]) => field !== WHOLE_PAGE)
  if (all.length === 0) return null
  return (
    <>
      <table className={`${style['table']} ${style['values']}`}>
        <tbody>
          {all.slice(0, room).map(([field, value]) => (
            <tr key={field}>
              <th scope="row">
                <bdi>{field}</bdi>
              </th>
              <td>{value === null ? <span className={tones['soft']}>no match</span> : <Value value={value} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {all.length > room && (
        <ShowMore shown={room} all={all.length} what="fields" step={200} onMore={() => setRoom(room + 200)} />
      )}
    </>
  )
}

const Value = ({ value }: { readonly value: unknown }) => <LongText text={textOf(value)} most={600} />

/** A list or an object of so many characters is one line. */
const SHORT = 80

/** Lists and objects are shown as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '""' : value
  try {
    const short = JSON.stringify(value) ?? ''
    return short.length > SHORT ? JSON.stringify(value, null, 1) : short
  } catch {
    return 'a value that is nested too deeply to be shown'
  }
}
