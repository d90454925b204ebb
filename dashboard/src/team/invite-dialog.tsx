import { useState } from 'react'
import type { InvitationSent, Me, TeamMembers } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import controls from '../style/controls.module.css'
import { RoleField } from './role-field.tsx'
import style from './team.module.css'
import { type GivenRole, useInvite } from './use-team.ts'

interface InviteDialogProps {
  readonly me: Me
  readonly known: TeamMembers
  onSent(sent: InvitationSent): void
  onClose(): void
}

/** Returns why an address cannot be invited, as far as the page knows. Null: it can. */
function missingOf(email: string, { me, known }: Pick<InviteDialogProps, 'me' | 'known'>): string | null {
  const address = email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) return 'Type an address of e-mail.'
  if (address === me.user?.email.toLowerCase()) return 'This is you: you are a member.'
  if (known.members.some((one) => one.email === address)) return 'A member has this address already.'
  if (known.invitations.some((one) => one.email === address)) return 'It is invited: send that invitation again.'
  return null
}

/** Invites a person to the team. */
export function InviteDialog({ me, known, onSent, onClose }: InviteDialogProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<GivenRole>('member')
  const invite = useInvite()
  const missing = missingOf(email, { me, known })
  return (
    <ConfirmDialog
      title="Invite a person"
      action="Invite"
      isBusy={invite.isPending}
      missing={missing}
      error={invite.error}
      onAct={() => invite.mutate({ email: email.trim(), role }, { onSuccess: onSent })}
      onClose={onClose}
    >
      <label className={style['field']}>
        <span className={style['label']}>Address</span>
        <input
          // The dialog was opened to type it.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          type="email"
          className={controls['input']}
          placeholder="ada@example.com"
          autoComplete="off"
          maxLength={254}
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </label>
      <RoleField role={role} onChoose={setRole} />
      <p className={style['soft']}>
        {me.installation.mail
          ? 'A mail with a link goes to the address. The link works for 7 days, and takes a seat until then.'
          : NO_MAIL}
      </p>
    </ConfirmDialog>
  )
}

const NO_MAIL =
  'This installation sends no mail. The person who runs it prints the link for you, with ./tidemark admin link.'
