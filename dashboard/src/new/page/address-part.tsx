import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiFault } from '../../api/client.ts'
import { useMe } from '../../app/use-me.ts'
import { useRefusal } from '../../app/use-refusal.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import controls from '../../style/controls.module.css'
import { asAddress } from '../draft/suggested-name.ts'
import type { Form } from '../draft/use-draft.ts'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'
import type { Looking } from './use-look.ts'

interface AddressPartProps {
  readonly form: Form
  readonly looking: Looking
  onLook(url: string): void
}

/** The address, and the look at it: how it goes, and why it failed. */
export function AddressPart({ form, looking, onLook }: AddressPartProps) {
  const { draft, issues, change } = form
  const { url } = draft
  const { look, since, error, hasEnded } = looking
  const { me } = useMe()
  const unwritable = useRefusal('monitors.write')
  // Until it is known, the service says it.
  const refused = me === null ? null : unwritable
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const known = error instanceof ApiFault ? [...issues, ...error.issues] : issues
  const fault = { id: 'address-fault', issues: known, path: 'url' }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (since === null && refused === null) onLook(url)
  }
  return (
    <form className={style['address']} onSubmit={submit} noValidate>
      <label htmlFor="address" className={style['label']}>
        Address
      </label>
      <div className={style['line']}>
        <input
          ref={field}
          id="address"
          className={`${controls['input']} ${style['wide']}`}
          type="text"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2048}
          placeholder="https://shop.example/kettle"
          value={url}
          onChange={({ target }) => change((before) => ({ ...before, url: target.value }))}
          {...faultOf(fault)}
        />
        <LookButton looking={looking} refused={refused} />
      </div>
      <FaultLine {...fault} />
      {since !== null && <Progress since={since} />}
      {since === null && look !== null && look.url !== asAddress(url) && (
        <p className={style['soft']}>What you see below is of another address. Look at this one to see its values.</p>
      )}
      {error !== null && known.length === 0 && (
        <p role="alert" className={style['fault']}>
          {sentenceOf(error)}
        </p>
      )}
      {hasEnded && since === null && (
        <p role="alert" className={style['ended']}>
          The look has ended: the page is kept for 15 minutes. <b>Look again</b> to point at it; what you filled in
          stays.
        </p>
      )}
    </form>
  )
}

interface LookButtonProps {
  readonly looking: Looking
  /** Why nothing may be looked at. Null: it may. */
  readonly refused: string | null
}

function LookButton({ looking: { look, since, stop }, refused }: LookButtonProps) {
  if (since !== null)
    return (
      <button type="button" className={controls['button']} onClick={stop}>
        Stop
      </button>
    )
  if (refused !== null)
    return (
      <ActionButton refused={refused} onAct={() => {}}>
        Look
      </ActionButton>
    )
  return (
    <button type="submit" className={`${controls['button']} ${look === null ? controls['main'] : ''}`}>
      {look === null ? 'Look' : 'Look again'}
    </button>
  )
}

/** How a look goes. The service does not say more than that it is at work. */
function Progress({ since }: { readonly since: number }) {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((now - since) / 1_000))
  return (
    <div className={style['progress']}>
      <span role="status">The page is fetched, and a browser opens it…</span>
      <span className={style['soft']} aria-hidden="true">
        {seconds === 0 ? 'about three seconds' : `${seconds} s`}
      </span>
    </div>
  )
}
