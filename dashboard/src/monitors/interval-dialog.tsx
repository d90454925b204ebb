import { useState } from 'react'
import { LIMITS } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import form from '../parts/form-lines.module.css'
import { INTERVALS } from '../parts/intervals.ts'
import { every } from '../parts/time.tsx'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import type { ActionBody } from './bulk.ts'
import { lockedWords } from './locked-words.ts'
import type { Row } from './ordered-rows.ts'

interface IntervalDialogProps {
  readonly rows: readonly Row[]
  onAnswer(body: ActionBody): void
  onClose(): void
}

const MONTH_SECONDS = 30 * 86_400

/** Asks how often monitors are checked. */
export function IntervalDialog({ rows, onAnswer, onClose }: IntervalDialogProps) {
  const [seconds, setSeconds] = useState(rows[0]?.schedule_interval_seconds ?? 3_600)
  const hasSearches = rows.some(({ kind }) => kind === 'serp')
  const known: readonly number[] = INTERVALS.filter((one) => !hasSearches || one >= LIMITS.searchSeconds)
  const choices = known.includes(seconds) ? known : [...known, seconds].toSorted((a, b) => a - b)
  const monthly = Math.round((rows.length * MONTH_SECONDS) / seconds)
  const what = rows.length === 1 ? 'this monitor is' : `${rows.length.toLocaleString('en')} monitors are`
  return (
    <ConfirmDialog
      title={`How often ${what} checked`}
      action="Change it"
      isBusy={false}
      error={null}
      onAct={() => onAnswer({ schedule_interval_seconds: seconds })}
      onClose={onClose}
    >
      <label className={form['line']}>
        Check
        <select
          className={controls['select']}
          value={seconds}
          onChange={(event) => setSeconds(Number(event.target.value))}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {every(choice)}
            </option>
          ))}
        </select>
      </label>
      <p className={tones['soft']}>
        About {monthly.toLocaleString('en')} checks a month for all of them. A search uses one run for each page of
        results.
      </p>
      <p className={tones['soft']}>{lockedWords(rows)}</p>
    </ConfirmDialog>
  )
}
