import { Notice } from '../app/notice.tsx'
import { useMe } from '../app/use-me.ts'
import { useTitle } from '../app/use-title.ts'
import style from './account.module.css'
import { EndPart } from './end-part.tsx'
import { NamePart } from './name-part.tsx'
import { PasswordPart } from './password-part.tsx'
import { SessionsPart } from './sessions-part.tsx'

/** The account of the person: what it is called, how it is signed in to, where, and its end. */
export function AccountPage() {
  useTitle('Account')
  const { me, error } = useMe()
  return (
    <section className={style['page']} aria-label="Account">
      <header className={style['head']}>
        <h1>Account</h1>
        {me?.user && <bdi className={style['soft']}>{me.user.email}</bdi>}
      </header>
      {me === null && error !== null && <Notice error={error} />}
      {me === null && error === null && <p role="status">Loading…</p>}
      {me?.user && (
        <>
          <NamePart key={me.user.name} user={me.user} />
          <PasswordPart user={me.user} />
          <SessionsPart />
          <EndPart me={me} email={me.user.email} />
        </>
      )}
    </section>
  )
}
