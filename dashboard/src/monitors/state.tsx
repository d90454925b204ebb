import { wasDeleted } from '../live/deleted.ts'
import type { Row } from './ordered-rows.ts'
import style from './state.module.css'

/** Each state has a word and its own shape: colours alone say nothing to many people. */
const STATES = {
  active: { word: 'Active', shape: <circle cx="6" cy="6" r="4" fill="currentColor" /> },
  failing: { word: 'Failing', shape: <path d="M6 1.200 11.400 10.800H.6z" fill="currentColor" /> },
  paused: { word: 'Paused', shape: <path d="M2.500 2h2.500v8H2.500zM7 2h2.500v8H7z" fill="currentColor" /> },
  held: { word: 'Not in the plan', shape: <path d="M6 .8 11.200 6 6 11.200.8 6z" fill="currentColor" /> },
  deleted: { word: 'Deleted', shape: <path d="M1.500 6h9" stroke="currentColor" strokeWidth="2" /> },
  waiting: {
    word: 'First check',
    shape: (
      <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="1.800" strokeDasharray="2.400 1.600" />
    ),
  },
} as const

/** What says the state of a monitor. */
export type StateFacts = Partial<Omit<Row, 'last_run'>> &
  Pick<Row, 'status' | 'consecutive_failures'> & {
    readonly last_run: Pick<NonNullable<Row['last_run']>, 'status'> | null
  }

/** Returns the state of a monitor as people say it. */
export function stateOf({
  id,
  status,
  last_run: last,
  consecutive_failures: failures,
}: StateFacts): keyof typeof STATES {
  if (id !== undefined && wasDeleted(id)) return 'deleted'
  if (status === 'paused') return 'paused'
  if (status === 'billing_paused') return 'held'
  if (status === 'error' || failures > 0 || last?.status === 'error') return 'failing'
  return last === null ? 'waiting' : 'active'
}

export function State({ row }: { readonly row: StateFacts }) {
  const state = stateOf(row)
  const { word, shape } = STATES[state]
  return (
    <span className={`${style['state']} ${style[state]}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {shape}
      </svg>
      {word}
    </span>
  )
}
