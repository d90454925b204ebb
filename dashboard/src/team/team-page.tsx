import { useState } from 'react'
import type { InvitationSent, Me } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useMe } from '../app/use-me.ts'
import { useRefusal } from '../app/use-refusal.ts'
import { sentenceOf } from '../new/form/sentence-of.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LeaveDialog, RemoveDialog, RoleDialog, WithdrawDialog } from './member-dialogs.tsx'
import { Members, OWN } from './members.tsx'
import { NotShown } from './not-shown.tsx'
import { RolesPart } from './roles-part.tsx'
import { SettingsPart } from './settings-part.tsx'
import { TeamArea } from './team-area.tsx'
import style from './team.module.css'
import { type Invitation, type Member, useMembers, useResend } from './use-team.ts'

/** What is open over the screen. */
type Open =
  | { readonly what: 'invite' | 'leave' }
  | { readonly what: 'role' | 'remove'; readonly member: Member }
  | { readonly what: 'withdraw'; readonly invitation: Invitation }

/** The people of the team, what each may do, and the settings of the team. */
export function TeamPage() {
  const { me } = useMe()
  const [open, setOpen] = useState<Open | null>(null)
  const unread = useRefusal('members.read')
  const members = useMembers(unread === null)
  const uninvited = useRefusal('members.invite') ?? (me && fullness(me.team))
  const unleft = me?.team.role === 'owner' ? OWN : null
  const invite = () => setOpen({ what: 'invite' })
  const leave = () => setOpen({ what: 'leave' })
  useCommands([
    { id: 'invite', title: 'Invite a person', refused: uninvited, act: invite },
    { id: 'leave', title: 'Leave the team', refused: unleft, act: leave },
  ])
  return (
    <TeamArea
      path="/team"
      actions={
        <>
          <ActionButton refused={unleft} onAct={leave}>
            Leave the team…
          </ActionButton>
          <ActionButton refused={uninvited} isMain onAct={invite}>
            Invite
          </ActionButton>
        </>
      }
    >
      {me !== null && <Seats team={me.team} />}
      {members.error !== null && <Notice error={members.error} />}
      {me !== null && unread !== null && <NotShown title="Members are not shown" reason={unread} />}
      {members.isLoading && <p role="status">Loading…</p>}
      {me !== null && <People me={me} members={members.data} open={open} onOpen={setOpen} />}
      <RolesPart />
      {me !== null && <SettingsPart team={me.team} />}
    </TeamArea>
  )
}

type Team = Me['team']

function fullness({ max_members: most, member_count: members, pending_invites: pending }: Team): string | null {
  if (most === null || members + pending < most) return null
  return `All ${most} seats are taken. Remove a member, withdraw an invitation, or ask the owner for a larger plan.`
}

function Seats({ team }: { readonly team: Team }) {
  const { max_members: most, member_count: members, pending_invites: pending, role } = team
  const taken = `${counted(members, 'member')}, ${counted(pending, 'open invitation')}.`
  return (
    <p className={style['seats']}>
      Your role is <b>{role}</b>.{' '}
      {most === null ? taken : `${members + pending} of ${counted(most, 'seat')} taken: ${taken}`}
    </p>
  )
}

const counted = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`

interface PeopleProps {
  readonly me: Me
  readonly members: ReturnType<typeof useMembers>['data']
  readonly open: Open | null
  onOpen(open: Open | null): void
}

const mailed = ({ email, email_sent: isSent }: InvitationSent): string =>
  isSent
    ? `An invitation is on its way to ${email}.`
    : `${email} is invited. No mail is sent here: ./tidemark admin link prints the link.`

function People({ me, members, open, onOpen }: PeopleProps) {
  const [said, setSaid] = useState('')
  const uninvited = useRefusal('members.invite')
  const unmanaged = useRefusal('members.manage')
  const resend = useResend()
  const self = me.user?.id ?? null
  const close = () => onOpen(null)
  const done = (text: string) => {
    setSaid(text)
    close()
  }
  return (
    <>
      <p role="status" className={style['said']}>
        {said}
      </p>
      {resend.error !== null && (
        <p role="alert" className={style['fault']}>
          {sentenceOf(resend.error)}
        </p>
      )}
      {members && (
        <>
          <Invitations
            invitations={members.invitations}
            refused={uninvited}
            isBusy={resend.isPending}
            onResend={({ id }) => resend.mutate(id, { onSuccess: (sent) => setSaid(mailed(sent)) })}
            onWithdraw={(invitation) => onOpen({ what: 'withdraw', invitation })}
          />
          <Members
            members={members.members}
            self={self}
            refused={unmanaged}
            onRole={(member) => onOpen({ what: 'role', member })}
            onRemove={(member) => onOpen(member.user_id === self ? { what: 'leave' } : { what: 'remove', member })}
          />
        </>
      )}
      <Opened me={me} members={members} open={open} onDone={done} onClose={close} />
    </>
  )
}

interface OpenedProps {
  readonly me: Me
  readonly members: PeopleProps['members']
  readonly open: Open | null
  onDone(said: string): void
  onClose(): void
}

function Opened({ me, members, open, onDone, onClose }: OpenedProps) {
  switch (open?.what) {
    case 'invite':
      return (
        members && <InviteDialog me={me} known={members} onSent={(sent) => onDone(mailed(sent))} onClose={onClose} />
      )
    case 'leave':
      return me.user && <LeaveDialog userId={me.user.id} team={me.team.name} onClose={onClose} />
    case 'role':
      return <RoleDialog member={open.member} onDone={onDone} onClose={onClose} />
    case 'remove':
      return <RemoveDialog member={open.member} onDone={onDone} onClose={onClose} />
    case 'withdraw':
      return <WithdrawDialog invitation={open.invitation} onDone={onDone} onClose={onClose} />
    default:
      return null
  }
}
