import { useState } from 'react'
import { Link } from 'wouter'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Stranger } from '../parts/stranger.tsx'
import { RoleField } from './role-field.tsx'
import style from './team.module.css'
import { type GivenRole, type Invitation, type Member, useChangeRole, useRemove, useWithdraw } from './use-team.ts'

interface MemberDialogProps {
  readonly member: Member
  onDone(said: string): void
  onClose(): void
}

const Who = ({ name, email }: Pick<Member, 'name' | 'email'>) => (
  <p>
    <b>
      <Stranger text={name} />
    </b>{' '}
    <bdi className={style['soft']}>{email}</bdi>
  </p>
)

/** Gives a member another role. */
export function RoleDialog({
  member: { user_id: userId, name, email, role: now },
  onDone,
  onClose,
}: MemberDialogProps) {
  const before: GivenRole = now === 'owner' ? 'admin' : now
  const [role, setRole] = useState(before)
  const change = useChangeRole()
  return (
    <ConfirmDialog
      title="Change the role"
      action="Change it"
      isBusy={change.isPending}
      missing={role === before ? `The role is ${before}.` : null}
      error={change.error}
      onAct={() => change.mutate({ userId, role }, { onSuccess: () => onDone(`${email} is ${role} now.`) })}
      onClose={onClose}
    >
      <Who name={name} email={email} />
      <RoleField role={role} onChoose={setRole} />
      <p className={style['soft']}>It holds from the next thing that the person does.</p>
    </ConfirmDialog>
  )
}

/** Removes a member from the team. */
export function RemoveDialog({ member: { user_id: id, name, email }, onDone, onClose }: MemberDialogProps) {
  const remove = useRemove()
  return (
    <ConfirmDialog
      title="Remove this person?"
      action="Remove"
      isEnd
      isBusy={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate(id, { onSuccess: () => onDone(`${email} is removed.`) })}
      onClose={onClose}
    >
      <Who name={name} email={email} />
      <p>
        From now on they see nothing of this team. What they made stays, and to come back, they have to be invited. API
        keys that they made go on working: <Link href="/keys">look at the keys</Link>.
      </p>
    </ConfirmDialog>
  )
}

interface LeaveDialogProps {
  readonly userId: string
  readonly team: string
  onClose(): void
}

/** Leaves the team. The session acts for the person's own one afterwards, so the page is loaded again. */
export function LeaveDialog({ userId, team, onClose }: LeaveDialogProps) {
  const leave = useRemove()
  return (
    <ConfirmDialog
      title="Leave this team?"
      action="Leave"
      isEnd
      isBusy={leave.isPending || leave.isSuccess}
      error={leave.error}
      onAct={() => leave.mutate(userId, { onSuccess: () => location.assign('/') })}
      onClose={onClose}
    >
      <p>
        <b>
          <Stranger text={team} />
        </b>
      </p>
      <p>
        You see nothing of it any more. What you made stays, and keys that you made go on working. To come back,
        somebody has to invite you.
      </p>
    </ConfirmDialog>
  )
}

interface WithdrawDialogProps {
  readonly invitation: Invitation
  onDone(said: string): void
  onClose(): void
}

/** Withdraws an invitation. */
export function WithdrawDialog({ invitation: { id, email }, onDone, onClose }: WithdrawDialogProps) {
  const withdraw = useWithdraw()
  return (
    <ConfirmDialog
      title="Withdraw this invitation?"
      action="Withdraw"
      isEnd
      isBusy={withdraw.isPending}
      error={withdraw.error}
      onAct={() => withdraw.mutate(id, { onSuccess: () => onDone(`The invitation of ${email} is withdrawn.`) })}
      onClose={onClose}
    >
      <p>
        The link that <bdi>{email}</bdi> got stops working, and the seat is free.
      </p>
    </ConfirmDialog>
  )
}
