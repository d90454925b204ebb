import { useRef } from 'react'
import { ActionButton } from '../parts/action-button.tsx'
import { Ago } from '../parts/time.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import tones from '../style/tones.module.css'
import style from './team.module.css'
import type { Invitation } from './use-team.ts'

interface InvitationsProps {
  readonly invitations: readonly Invitation[]
  /** Why they cannot be changed. */
  readonly refused: string | null
  readonly isBusy: boolean
  onResend(invitation: Invitation): void
  onWithdraw(invitation: Invitation): void
}

/** The invitations that are open. */
export function Invitations({ invitations, refused, isBusy, onResend, onWithdraw }: InvitationsProps) {
  const list = useRef<HTMLElement>(null)
  useKeptFocus(list)
  return (
    <section
      ref={list}
      tabIndex={-1}
      aria-label="Open invitations"
      className={style['part']}
      hidden={invitations.length === 0}
    >
      <h2>Open invitations</h2>
      <ul className={style['rows']}>
        {invitations.map((invitation) => (
          <li key={invitation.id} className={style['row']}>
            <span className={style['who']}>
              <bdi className={style['strong']}>{invitation.email}</bdi>
              <span className={style['soft']}>
                by <bdi>{invitation.invited_by_email}</bdi>
              </span>
            </span>
            <span className={style['word']}>{invitation.role}</span>
            <span className={style['since']}>
              <span className={tones['soft']}>ends</span> <Ago at={invitation.expires_at} />
            </span>
            <span className={style['acts']}>
              <ActionButton
                refused={refused}
                isBusy={isBusy}
                label={`Send again: ${invitation.email}`}
                onAct={() => onResend(invitation)}
              >
                Send again
              </ActionButton>
              <ActionButton
                refused={refused}
                label={`Withdraw: ${invitation.email}`}
                onAct={() => onWithdraw(invitation)}
              >
                Withdraw…
              </ActionButton>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
