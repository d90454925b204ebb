import { useState } from 'react'
import type { Me } from '../api/types.ts'
import { sentenceOf } from '../new/form/sentence-of.ts'
import { ActionButton } from '../parts/action-button.tsx'
import controls from '../style/controls.module.css'
import style from './account.module.css'
import { useSetName } from './use-account.ts'

const MOST = 200

/** What the person is called. */
export function NamePart({ user: { name, email } }: { readonly user: NonNullable<Me['user']> }) {
  const [typed, setTyped] = useState(name)
  const rename = useSetName()
  const wanted = typed.trim()
  const missing = wanted === '' ? 'Type a name.' : wanted === name ? 'The name is not changed yet.' : null
  const save = () => {
    if (missing === null && !rename.isPending) rename.mutate(wanted)
  }
  return (
    <section aria-label="Who you are" className={style['part']}>
      <h2>Who you are</h2>
      <form
        className={style['card']}
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <div className={style['field']}>
          <label className={style['label']} htmlFor="account-name">
            Name
          </label>
          <span className={style['line']}>
            <input
              id="account-name"
              className={controls['input']}
              autoComplete="name"
              maxLength={MOST}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
            <ActionButton refused={missing} isBusy={rename.isPending} onAct={save}>
              Save the name
            </ActionButton>
          </span>
          {rename.error !== null && (
            <p role="alert" className={style['fault']}>
              {sentenceOf(rename.error)}
            </p>
          )}
        </div>
        <div className={style['field']}>
          <span className={style['label']}>Address</span>
          <span>
            <bdi>{email}</bdi>
          </span>
          <span className={style['soft']}>
            You sign in with it. The person who runs this installation can change it, with ./tidemark admin set-email.
          </span>
        </div>
      </form>
    </section>
  )
}
