import { useState } from 'react'
import { KEY_LIMITS } from '../api/access.ts'
import type { ApiKeyIssued } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Stranger } from '../parts/stranger.tsx'
import controls from '../style/controls.module.css'
import style from './keys.module.css'
import { type ApiKey, useRotateKey } from './use-keys.ts'

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey
  onIssued(issued: ApiKeyIssued, graceHours: number): void
  onClose(): void
}

const { graceHours: MOST } = KEY_LIMITS

/** Asks how long the old key still works beside the new one, and replaces it. */
export function RotateKeyDialog({ apiKey: { id, name, key_prefix: prefix }, onIssued, onClose }: RotateKeyDialogProps) {
  const [hours, setHours] = useState('24')
  const rotate = useRotateKey()
  const isRight = /^\d{1,3}$/.test(hours) && Number(hours) <= MOST
  return (
    <ConfirmDialog
      title="Replace this key?"
      action="Replace it"
      isBusy={rotate.isPending}
      missing={isRight ? null : `From 0 to ${MOST} hours.`}
      error={rotate.error}
      onAct={() => {
        const graceHours = Number(hours)
        rotate.mutate({ id, graceHours }, { onSuccess: (issued) => onIssued(issued, graceHours) })
      }}
      onClose={onClose}
    >
      <p>
        <b>
          <Stranger text={name} />
        </b>{' '}
        <code className={style['prefix']}>{prefix}…</code>
      </p>
      <p>The new key has its name, may do the same, and ends when it would have ended.</p>
      <label className={style['field']}>
        <span className={style['label']}>Hours for which the old one still works</span>
        <input
          type="number"
          min={0}
          max={MOST}
          required
          className={controls['input']}
          value={hours}
          onChange={({ target }) => setHours(target.value)}
        />
      </label>
      <p className={style['soft']}>
        From 0 to {MOST}. With 0 it ends at once, as after a leak. A key can be replaced once.
      </p>
    </ConfirmDialog>
  )
}
