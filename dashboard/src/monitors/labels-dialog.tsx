import { useState } from 'react'
import { LABEL_WORD, LIMITS } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import form from '../parts/form-lines.module.css'
import { withCodes } from '../parts/with-codes.ts'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import type { ActionBody } from './bulk.ts'
import { lockedWords } from './locked-words.ts'
import type { Row } from './ordered-rows.ts'

interface LabelsDialogProps {
  readonly rows: readonly Row[]
  onAnswer(body: ActionBody): void
  onClose(): void
}

const LONGEST = 63

/** Returns what is still missing, or not right. Null: nothing. */
function missingOf(key: string, value: string, gone: number): string | null {
  if (gone > LIMITS.changedLabels) return `Take away ${LIMITS.changedLabels} at most.`
  if (key === '') return gone > 0 ? null : 'Add a label, or take one away.'
  if (!LABEL_WORD.test(key) || (value !== '' && !LABEL_WORD.test(value)))
    return 'Use letters, digits, "-", "_" and ".".'
  return null
}

/** Asks which label monitors get, and which they lose. Both together give a label another name. */
export function LabelsDialog({ rows, onAnswer, onClose }: LabelsDialogProps) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const what = rows.length === 1 ? withCodes(rows[0]?.name ?? '') : `${rows.length.toLocaleString('en')} monitors`
  const missing = missingOf(key.trim(), value.trim(), gone.size)
  const toggle = (one: string) =>
    setGone((now) => new Set(now.has(one) ? [...now].filter((other) => other !== one) : [...now, one]))
  const labels = {
    ...(key.trim() !== '' && { add: { [key.trim()]: value.trim() } }),
    ...(gone.size > 0 && { remove: [...gone] }),
  }
  return (
    <ConfirmDialog
      title={`Labels of ${what}`}
      action="Change them"
      isBusy={false}
      missing={missing}
      error={null}
      onAct={() => onAnswer({ labels })}
      onClose={onClose}
    >
      <fieldset>
        <legend>Add a label</legend>
        <span className={form['pair']}>
          <label className={form['field']}>
            Key
            <input
              className={controls['input']}
              value={key}
              maxLength={LONGEST}
              placeholder="team"
              onChange={(event) => setKey(event.target.value)}
            />
          </label>
          <label className={form['field']}>
            Value
            <input
              className={controls['input']}
              value={value}
              maxLength={LONGEST}
              placeholder="shop"
              onChange={(event) => setValue(event.target.value)}
            />
          </label>
        </span>
      </fieldset>
      <Taken rows={rows} gone={gone} onToggle={toggle} />
      <p className={tones['soft']}>{lockedWords(rows)}</p>
    </ConfirmDialog>
  )
}

interface TakenProps {
  readonly rows: readonly Row[]
  readonly gone: ReadonlySet<string>
  onToggle(key: string): void
}

/** The keys of labels that the monitors have, to be taken away. */
function Taken({ rows, gone, onToggle }: TakenProps) {
  const counts = new Map<string, number>()
  for (const { labels } of rows) for (const key of Object.keys(labels)) counts.set(key, (counts.get(key) ?? 0) + 1)
  if (counts.size === 0) return null
  return (
    <fieldset>
      <legend>Take away</legend>
      {[...counts]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([key, count]) => (
          <label key={key} className={form['line']}>
            <input type="checkbox" checked={gone.has(key)} onChange={() => onToggle(key)} />
            <bdi>{key}</bdi>
            <span className={tones['soft']}>
              {count === 1 ? 'of one of them' : `of ${count.toLocaleString('en')} of them`}
            </span>
          </label>
        ))}
    </fieldset>
  )
}
