import { useState } from 'react'
import { Heading } from 'react-aria-components/Dialog'
import { ModalDialog } from '../parts/modal-dialog.tsx'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import style from './monitor.module.css'

const MOST_HOURS = 168

interface RotateDialogProps {
  onCancel(): void
  onRotate(graceHours: number): void
}

/** Asks how long the old secret still signs, before it is replaced. */
export function RotateDialog({ onCancel, onRotate }: RotateDialogProps) {
  const [hours, setHours] = useState('24')
  const isRight = /^\d+$/.test(hours) && Number(hours) <= MOST_HOURS
  return (
    <ModalDialog className={style['dialog']} onClose={onCancel}>
      <Heading slot="title" level={1}>
        Replace the signing secret?
      </Heading>
      <form
        className={style['form']}
        onSubmit={(event) => {
          event.preventDefault()
          if (isRight) onRotate(Number(hours))
        }}
      >
        <p>Receivers need the new secret. Until the hours are over, each webhook is signed with both.</p>
        <label>
          Hours of both
          <input
            type="number"
            min={0}
            max={MOST_HOURS}
            required
            className={controls['input']}
            value={hours}
            onChange={(event) => setHours(event.target.value)}
          />
        </label>
        <p className={tones['soft']}>From 0 to {MOST_HOURS}. With 0 the old one ends at once.</p>
        <span className={style['tools']}>
          <button type="submit" className={`${controls['button']} ${controls['main']}`} disabled={!isRight}>
            Replace it
          </button>
          <button type="button" className={controls['button']} onClick={onCancel}>
            Cancel
          </button>
        </span>
      </form>
    </ModalDialog>
  )
}
