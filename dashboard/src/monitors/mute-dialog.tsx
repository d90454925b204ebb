import { useState } from 'react'
import { serverNow } from '../api/client.ts'
import { LIMITS } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import form from '../parts/form-lines.module.css'
import { withCodes } from '../parts/with-codes.ts'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import type { ActionBody } from './bulk.ts'
import { endOf, MUTE_ENDS, type MuteEnd } from './mute-ends.ts'

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const SURE = 'Say that somebody ends it.'

interface MuteDialogProps {
  /** What is muted. */
  readonly rows: readonly { readonly name: string }[]
  onAnswer(body: ActionBody): void
  onClose(): void
}

/** Asks until when monitors are muted, and what becomes of what fires. */
export function MuteDialog({ rows, onAnswer, onClose }: MuteDialogProps) {
  const [end, setEnd] = useState<MuteEnd>('hour')
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const [drop, setDrop] = useState(false)
  const [isSure, setSure] = useState(false)
  const at = endOf(end, serverNow(), typed)
  const missing = at === undefined ? 'Choose a time in the future.' : end === 'open' && !isSure ? SURE : null
  const [first] = rows
  const what = rows.length === 1 ? withCodes(first?.name ?? '') : `${rows.length.toLocaleString('en')} monitors`
  // The time may have gone on since the dialog was drawn.
  const submit = () => {
    const until = endOf(end, serverNow(), typed)
    if (until === undefined) return
    onAnswer({
      until: until === null ? null : until.toISOString(),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
      ...(drop && { drop }),
    })
  }
  return (
    <ConfirmDialog
      title={`Mute ${what}`}
      action="Mute"
      isBusy={false}
      missing={missing}
      error={null}
      onAct={submit}
      onClose={onClose}
    >
      <p className={tones['soft']}>Checks and the history go on. Nobody is written to until the mute ends.</p>
      <fieldset>
        <legend>How long</legend>
        {MUTE_ENDS.map(([value, word]) => (
          <label key={value} className={form['line']}>
            <input type="radio" name="end" checked={end === value} onChange={() => setEnd(value)} />
            {word}
            {value === 'date' && end === 'date' && (
              <input
                type="datetime-local"
                className={controls['input']}
                aria-label="Day and time"
                required
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </label>
        ))}
        {end === 'open' && (
          <label className={form['line']}>
            <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} />
            Nothing is sent until somebody unmutes it
          </label>
        )}
      </fieldset>
      <label className={form['field']}>
        Why, for those who see it
        <input
          className={controls['input']}
          value={reason}
          maxLength={LIMITS.reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <label className={form['line']}>
        <input type="checkbox" checked={drop} onChange={(event) => setDrop(event.target.checked)} />
        Drop what fires, and send nothing of it later
      </label>
      <p role="status" className={tones['soft']}>
        {sentenceOf(at, drop)}
      </p>
    </ConfirmDialog>
  )
}

function sentenceOf(at: Date | null | undefined, drop: boolean): string {
  if (at === undefined) return ''
  if (drop) return `What fires${at === null ? '' : ` until ${whole.format(at)}`} is dropped.`
  return at === null
    ? 'What fires waits until somebody unmutes it.'
    : `What fires waits until ${whole.format(at)}, and is sent then.`
}
