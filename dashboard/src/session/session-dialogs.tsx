import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Heading } from 'react-aria-components/Dialog'
import { ask, whenRefused } from '../api/client.ts'
import { explain } from '../api/faults.ts'
import type { Me } from '../api/types.ts'
import { ModalDialog } from '../parts/modal-dialog.tsx'
import controls from '../style/controls.module.css'
import style from './session-dialogs.module.css'
import { noteRefusal, setTrouble, useTrouble } from './session-state.ts'

/** How often a page that is looked at asks whether its person has signed in elsewhere. */
const LOOK_MS = 15_000

/** Says over the page that the session has ended or acts for another team. What was typed below stays. */
export function SessionDialogs({ me }: { readonly me: Me | null }) {
  const trouble = useTrouble()
  useEffect(() => whenRefused(noteRefusal), [])
  if (me === null || trouble === null) return null
  if (trouble === 'other person') return <OtherPerson me={me} />
  return trouble === 'ended' ? <SignInAgain me={me} /> : <OtherTeam me={me} />
}

const Over = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <ModalDialog className={style['dialog']}>
    <Heading slot="title" level={1}>
      {title}
    </Heading>
    {children}
  </ModalDialog>
)

/** Goes on with the session that there is now. Of another person, or without the team, the page is loaded again. */
async function goOn(me: Me, readAgain: () => Promise<unknown>): Promise<void> {
  const now = await ask<Me>('/v1/me', { anyTeam: true })
  if (now.user?.id !== me.user?.id || !now.teams.some(({ id }) => id === me.team.id)) return location.reload()
  if (now.team.id !== me.team.id)
    await ask('/v1/team/switch', { method: 'POST', body: { team_id: me.team.id }, anyTeam: true })
  setTrouble(null)
  await readAgain()
}

function useGoOn(me: Me) {
  const queries = useQueryClient()
  return () => goOn(me, () => queries.invalidateQueries())
}

function SignInAgain({ me }: { readonly me: Me }) {
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const resume = useGoOn(me)
  const email = me.user?.email ?? ''
  const hasOidc = me.installation.sign_in.includes('oidc')
  // Somebody may sign in by another tab, with a password or by OIDC.
  useEffect(() => {
    const look = () => void (document.visibilityState === 'visible' && resume().catch(() => null))
    const timer = setInterval(look, LOOK_MS)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  })
  async function signIn(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setFault(null)
    const body = { email, password }
    const refused: unknown = await ask('/auth/sign-in/email', { method: 'POST', body, anyTeam: true })
      .then(resume)
      .then(
        () => null,
        (error: unknown) => error,
      )
    setBusy(false)
    if (refused !== null) setFault(explain(refused, 'The password is not right.').what)
  }
  return (
    <Over title="Your session has ended">
      <p>Sign in again, and go on where you were. What you typed is kept.</p>
      <form className={style['form']} onSubmit={(event) => void signIn(event)}>
        <label>
          <span>Password of {email}</span>
          <input
            ref={field}
            className={controls['input']}
            type="password"
            autoComplete="current-password"
            required
            maxLength={128}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </label>
        {fault !== null && <p role="alert">{fault}</p>}
        <div className={style['ways']}>
          <button type="submit" className={`${controls['button']} ${controls['main']}`} disabled={isBusy}>
            Sign in
          </button>
          <a href="/sign-in" target="_blank" rel="noopener">
            {hasOidc ? 'Sign in with your organisation, in a new tab' : 'Sign in as somebody else, in a new tab'}
          </a>
        </div>
      </form>
    </Over>
  )
}

const OtherPerson = ({ me }: { readonly me: Me }) => (
  <Over title="Somebody else has signed in">
    <p>
      This page shows what <bdi>{me.user?.email ?? me.team.name}</bdi> sees. Another tab of this browser has signed in
      somebody else.
    </p>
    <div className={style['ways']}>
      <button
        type="button"
        className={`${controls['button']} ${controls['main']}`}
        onClick={() => location.assign('/')}
      >
        Show what they see
      </button>
    </div>
  </Over>
)

function OtherTeam({ me }: { readonly me: Me }) {
  const [fault, setFault] = useState<string | null>(null)
  const resume = useGoOn(me)
  return (
    <Over title="You have switched teams in another tab">
      <p>
        This page shows <bdi>{me.team.name}</bdi>. Your session acts for another team now.
      </p>
      {fault !== null && <p role="alert">{fault}</p>}
      <div className={style['ways']}>
        <button
          type="button"
          className={`${controls['button']} ${controls['main']}`}
          onClick={() => void resume().catch((error: unknown) => setFault(explain(error).what))}
        >
          Switch back to <bdi>{me.team.name}</bdi>
        </button>
        <button type="button" className={controls['button']} onClick={() => location.assign('/')}>
          Show the other team
        </button>
      </div>
    </Over>
  )
}
