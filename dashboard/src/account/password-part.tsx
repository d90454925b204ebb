import { useState } from 'react'
import { ApiFault } from '../api/client.ts'
import type { Me } from '../api/types.ts'
import { sentenceOf } from '../new/form/sentence-of.ts'
import { ActionButton } from '../parts/action-button.tsx'
import controls from '../style/controls.module.css'
import style from './account.module.css'
import { useSetPassword } from './use-account.ts'

const LEAST = 8
const MOST = 128

/** Changes the password. Who signs in with a provider alone has none. */
export const PasswordPart = ({ user }: { readonly user: NonNullable<Me['user']> }) => (
  <section aria-label="Password" className={style['part']}>
    <h2>Password</h2>
    <div className={style['card']}>
      {user.has_password ? (
        <PasswordForm email={user.email} />
      ) : (
        <p>You sign in with your organisation. This account has no password, so nobody can sign in with one.</p>
      )}
    </div>
  </section>
)

function missingOf(now: string, next: string): string | null {
  if (now === '') return 'Type the password that you have now.'
  if (next.length < LEAST) return `The new one has at least ${LEAST} characters.`
  return now === next ? 'The new one is the same.' : null
}

function PasswordForm({ email }: { readonly email: string }) {
  const [now, setNow] = useState('')
  const [next, setNext] = useState('')
  const [isShown, setShown] = useState(false)
  const change = useSetPassword()
  const missing = missingOf(now, next)
  function save() {
    if (missing !== null || change.isPending) return
    const cleared = () => {
      setNow('')
      setNext('')
    }
    change.mutate({ currentPassword: now, newPassword: next }, { onSuccess: cleared })
  }
  const type = isShown ? 'text' : 'password'
  return (
    <form
      className={style['form']}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      {/* For the manager of passwords, which asks whose it is. */}
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <PasswordField label="Password now" type={type} complete="current-password" value={now} onChange={setNow} />
      <PasswordField label={NEW} type={type} complete="new-password" value={next} onChange={setNext} />
      <label className={style['check']}>
        <input type="checkbox" checked={isShown} onChange={({ target }) => setShown(target.checked)} />
        Show what is typed
      </label>
      <span className={style['line']}>
        <ActionButton refused={missing} isBusy={change.isPending} onAct={save}>
          Change the password
        </ActionButton>
        <span className={style['soft']}>All other sessions end.</span>
      </span>
      <span role="status" className={style['said']}>
        {change.isSuccess && now === '' && 'The password is changed. All other sessions have ended.'}
      </span>
      {change.error !== null && (
        <p role="alert" className={style['fault']}>
          {refusalOf(change.error)}
        </p>
      )}
    </form>
  )
}

const refusalOf = (error: unknown): string =>
  error instanceof ApiFault && error.status === 422
    ? 'The password that you have now is another one.'
    : sentenceOf(error)

const NEW = `New password, at least ${LEAST} characters`

interface PasswordFieldProps {
  readonly label: string
  readonly type: 'text' | 'password'
  readonly complete: 'current-password' | 'new-password'
  readonly value: string
  onChange(value: string): void
}

const PasswordField = ({ label, type, complete, value, onChange }: PasswordFieldProps) => (
  <label className={style['field']}>
    <span className={style['label']}>{label}</span>
    <input
      type={type}
      className={controls['input']}
      autoComplete={complete}
      maxLength={MOST}
      spellCheck={false}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
)
