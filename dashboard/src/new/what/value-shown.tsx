import { shownValue } from '../../monitors/values.ts'
import what from './what.module.css'

const ITEMS = 6
const CHARS = 300

/** A value as a run stores it. */
export function ValueShown({ value }: { readonly value: unknown }) {
  if (value === undefined) return null
  if (value === null) return <span className={what['none']}>no value: nothing matches</span>
  if (!Array.isArray(value)) return <bdi>{shownValue(value, CHARS)}</bdi>
  return (
    <>
      {value.length === 1 ? '1 item' : `${value.length.toLocaleString('en')} items`}
      <ol className={what['items']}>
        {value.slice(0, ITEMS).map((item, nth) => (
          <li key={nth}>
            <bdi>{shownValue(item, CHARS)}</bdi>
          </li>
        ))}
      </ol>
    </>
  )
}
