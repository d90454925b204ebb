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

interface Asked {
  readonly key: string
  readonly value: string
  /** The label that gets another name; empty: none. */
  readonly old: string
  readonly name: string
  /** How many labels are taken away. */
  readonly gone: number
}

/** Returns what is still missing, or not right. Null: nothing. */
function missingOf({ key, value, old, name, gone }: Asked): string | null {
  if (gone > LIMITS.changedLabels) return `Take away ${LIMITS.changedLabels} at most.`
  if (key === '' && old === '' && gone === 0) return 'Add a label, rename one, or take one away.'
  if (old !== '' && name === '') return 'Type the new name of the label.'
  if (old !== '' && [old, name].includes(key)) return 'A label that is renamed is not added too.'
  if ([key, value, name].some((word) => word !== '' && !LABEL_WORD.test(word)))
    return 'Use letters, digits, "-", "_" and ".".'
  return null
}

/** Asks which label monitors get, which gets another name, and which they lose. */
export function LabelsDialog({ rows, onAnswer, onClose }: LabelsDialogProps) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const [old, setOld] = useState('')
  const [name, setName] = useState('')
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const counts = countsOf(rows)
  const what = rows.length === 1 ? withCodes(rows[0]?.name ?? '') : `${rows.length.toLocaleString('en')} monitors`
  const words = { key: key.trim(), value: value.trim(), old, name: name.trim() }
  // A label that is renamed is not taken away.
  const taken = [...gone].filter((one) => one !== old)
  const missing = missingOf({ ...words, gone: taken.length })
  const toggle = (one: string) =>
    setGone((now) => new Set(now.has(one) ? [...now].filter((other) => other !== one) : [...now, one]))
  const labels = {
    ...(words.key !== '' && { add: { [words.key]: words.value } }),
    ...(old !== '' && { rename: { [old]: words.name } }),
    ...(taken.length > 0 && { remove: taken }),
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
          <Word label="Key" text={key} example="team" onChange={setKey} />
          <Word label="Value" text={value} example="shop" onChange={setValue} />
        </span>
      </fieldset>
      <Renamed counts={counts} old={old} name={name} onOld={setOld} onName={setName} />
      <Taken counts={counts.filter(([one]) => one !== old)} gone={gone} onToggle={toggle} />
      <p className={tones['soft']}>{lockedWords(rows)}</p>
    </ConfirmDialog>
  )
}

interface WordProps {
  readonly label: string
  readonly text: string
  readonly example: string
  onChange(text: string): void
}

const Word = ({ label, text, example, onChange }: WordProps) => (
  <label className={form['field']}>
    {label}
    <input
      className={controls['input']}
      value={text}
      maxLength={LONGEST}
      placeholder={example}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
)

/** The keys of labels in their order, each with how many of the monitors have it. */
type Counts = readonly (readonly [key: string, count: number])[]

function countsOf(rows: readonly Row[]): Counts {
  const counts = new Map<string, number>()
  for (const { labels } of rows) for (const key of Object.keys(labels)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...counts].toSorted(([a], [b]) => a.localeCompare(b))
}

interface RenamedProps {
  readonly counts: Counts
  readonly old: string
  readonly name: string
  onOld(key: string): void
  onName(name: string): void
}

/** A label that gets another name, with the values that it has. */
const Renamed = ({ counts, old, name, onOld, onName }: RenamedProps) =>
  counts.length > 0 && (
    <fieldset>
      <legend>Rename a label</legend>
      <span className={form['pair']}>
        <label className={form['field']}>
          Label
          <select className={controls['select']} value={old} onChange={(event) => onOld(event.target.value)}>
            <option value="">none</option>
            {counts.map(([key]) => (
              <option key={key}>{key}</option>
            ))}
          </select>
        </label>
        <Word label="New name" text={name} example="squad" onChange={onName} />
      </span>
      {counts.some(([key]) => key === name.trim() && old !== '') && (
        <p className={tones['soft']}>Monitors that have both keep the value of the one that is renamed.</p>
      )}
    </fieldset>
  )

interface TakenProps {
  readonly counts: Counts
  readonly gone: ReadonlySet<string>
  onToggle(key: string): void
}

/** The keys of labels that the monitors have, to be taken away. */
const Taken = ({ counts, gone, onToggle }: TakenProps) =>
  counts.length > 0 && (
    <fieldset>
      <legend>Take away</legend>
      {counts.map(([key, count]) => (
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
