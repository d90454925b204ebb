import { useState } from 'react'
import { Link } from 'wouter'
import type { Me } from '../api/types.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Stranger } from '../parts/stranger.tsx'
import controls from '../style/controls.module.css'
import style from './account.module.css'
import { useDeleteAccount, useIsSubscribed } from './use-account.ts'

interface EndProps {
  readonly me: Me
  readonly email: string
}

const SUBSCRIBED = 'Your team has a subscription that would be renewed. Cancel it first.'

/** The end of the account, with what goes with it. */
export function EndPart({ me, email }: EndProps) {
  const [isAsked, setAsked] = useState(false)
  const { data: isSubscribed } = useIsSubscribed(me.team.role === 'owner')
  return (
    <section aria-label="The end of the account" className={style['part']}>
      <h2>The end of the account</h2>
      <div className={`${style['card']} ${style['end']}`}>
        <WhatGoes me={me} />
        <span className={style['line']}>
          <ActionButton refused={isSubscribed === true ? SUBSCRIBED : null} onAct={() => setAsked(true)}>
            Delete the account…
          </ActionButton>
        </span>
      </div>
      {isAsked && <EndDialog me={me} email={email} onClose={() => setAsked(false)} />}
    </section>
  )
}

function WhatGoes({ me: { team, teams } }: Pick<EndProps, 'me'>) {
  const own = teams.find(({ is_personal: isOwn }) => isOwn)
  const others = teams.filter(({ is_personal: isOwn }) => !isOwn)
  const people = own?.id === team.id ? team.member_count - 1 : null
  return (
    <ul className={style['goes']}>
      <li>The account ends at once, with its password and its sessions. It does not come back.</li>
      {own && (
        <li>
          Your team <Stranger text={own.name} /> ends with it
          {people === null
            ? ', also for its other members, if it has any'
            : people === 0
              ? ''
              : `, also for ${people === 1 ? 'its other member' : `its ${people} other members`}`}
          : its monitors and their history, its API keys, its invitations, and what is still to be delivered.
        </li>
      )}
      {others.length > 0 && (
        <li>
          You leave{' '}
          {others.map(({ id, name }, nth) => (
            <span key={id}>
              {nth > 0 && ', '}
              <Stranger text={name} />
            </span>
          ))}
          . These teams go on, with the keys that you made there.
        </li>
      )}
      {own && own.id !== team.id && (
        <li>A subscription of your team that would be renewed has to be cancelled first.</li>
      )}
      {own?.id === team.id && (people ?? 0) > 0 && (
        <li>
          <Link href="/team">The members</Link> are not asked. Tell them before.
        </li>
      )}
    </ul>
  )
}

function EndDialog({ me, email, onClose }: EndProps & { onClose(): void }) {
  const [typed, setTyped] = useState('')
  const end = useDeleteAccount()
  const isSame = typed.trim().toLowerCase() === email.toLowerCase()
  return (
    <ConfirmDialog
      title="Delete your account?"
      action="Delete it"
      isEnd
      isBusy={end.isPending || end.isSuccess}
      missing={isSame ? null : 'Type your address.'}
      error={end.error}
      onAct={() => end.mutate(typed.trim(), { onSuccess: () => location.assign('/sign-in') })}
      onClose={onClose}
    >
      <WhatGoes me={me} />
      <label className={style['field']}>
        <span className={style['label']}>
          Type <bdi>{email}</bdi> to delete it
        </span>
        <input
          className={controls['input']}
          autoComplete="off"
          spellCheck={false}
          maxLength={254}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </label>
    </ConfirmDialog>
  )
}
