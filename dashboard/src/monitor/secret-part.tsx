import { useState } from 'react'
import { ask } from '../api/client.ts'
import { Notice } from '../app/notice.tsx'
import { usePermission } from '../app/use-me.ts'
import { ActionButton } from '../parts/action-button.tsx'
import type { Place } from './any-monitor.ts'
import { Copyable } from './copy.tsx'
import style from './monitor.module.css'
import { RotateDialog } from './rotate-dialog.tsx'

/** The secret that signs the webhooks of a monitor. It is asked for on request, and kept nowhere. */
export function SecretPart({ place: { path } }: { readonly place: Place }) {
  const mayRead = usePermission('secrets.read')
  const mayRotate = usePermission('secrets.rotate')
  // Null: it is not shown. The empty text: there is none.
  const [secret, setSecret] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isAsked, setAsked] = useState(false)
  async function read() {
    setError(null)
    await ask<{ readonly secret: string | null }>(`${path}/signing-secret`).then(
      (answer) => setSecret(answer.secret ?? ''),
      setError,
    )
  }
  async function rotate(graceHours: number) {
    setAsked(false)
    setError(null)
    const body = { grace_hours: graceHours }
    await ask<{ readonly secret: string }>(`${path}/signing-secret/rotate`, { method: 'POST', body }).then(
      (answer) => setSecret(answer.secret),
      setError,
    )
  }
  return (
    <section aria-label="Signing secret" className={style['section']}>
      <div className={style['tools']}>
        <h2 className={style['part']}>Signing secret</h2>
        <ActionButton
          refused={mayRead ? null : 'Your role may not read it.'}
          onAct={() => (secret === null ? void read() : setSecret(null))}
        >
          {secret === null ? 'Show' : 'Hide'}
        </ActionButton>
        <ActionButton refused={mayRotate ? null : 'Your role may not replace it.'} onAct={() => setAsked(true)}>
          Replace…
        </ActionButton>
      </div>
      <p className={style['note']}>
        Receivers of its webhooks verify by it who sent them. <a href="/docs/webhooks">How to verify</a>
      </p>
      {error !== null && <Notice error={error} />}
      {secret === '' && <p>There is none: the monitor has no webhook.</p>}
      {secret !== null && secret !== '' && <Copyable text={secret} label="Secret" />}
      {isAsked && <RotateDialog onCancel={() => setAsked(false)} onRotate={(hours) => void rotate(hours)} />}
    </section>
  )
}
