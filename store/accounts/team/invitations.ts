import { sql } from 'slonik'
import Type from 'typebox'
import {
  Invitation,
  INVITATION_DAYS,
  INVITATION_KEPT_DAYS,
  InvitationPreview,
  INVITATION_STATES,
  type InvitationState,
} from '../../../schema/account/invitation.ts'
import { GIVEN_ROLES, type GivenRole } from '../../../schema/account/role.ts'
import type { Queryable, Transaction } from '../../db/client.ts'
import { nothing, row, rowOf } from '../../db/row.ts'
import { checkedTextHash, newCheckedText } from '../credentials/api-key-text.ts'

const PREFIX = 'inv_'

/** The state of `i`, an invitation. */
export const INVITATION_STATE = sql.fragment`
  coalesce(i.ended_as, case when i.expires_at > clock() then 'open' else 'expired' end)`

const EXPIRY = sql.fragment`clock() + make_interval(days => ${sql.literalValue(String(INVITATION_DAYS))})`

/** The inviter's address today. */
const INVITED_BY = sql.fragment`coalesce((select email from auth.users where id = i.invited_by), i.invited_by_email)`
const COLUMNS = sql.fragment`i.id, i.email, i.role, ${INVITED_BY} as invited_by_email, i.expires_at, i.created_at`

const State = Type.Unsafe<InvitationState>({ enum: [...INVITATION_STATES] })
const listed = rowOf(Invitation)
const previewed = rowOf(InvitationPreview)
const named = row({ id: Type.String(), team_id: Type.String() })
const found = row({
  id: Type.String(),
  team_id: Type.String(),
  email: Type.String(),
  role: Type.Unsafe<GivenRole>({ enum: [...GIVEN_ROLES] }),
  invited_by: Type.String(),
  state: State,
})

/** An invitation with the secret part of its link, which is not stored. */
export interface IssuedInvitation {
  readonly invitation: Invitation
  readonly token: string
}

/** An invitation in any state. */
export type FoundInvitation = Readonly<{
  id: string
  team_id: string
  email: string
  role: GivenRole
  invited_by: string
  state: InvitationState
}>

/** An invitation to be written. */
interface NewInvitation {
  readonly teamId: string
  /** In lower case. */
  readonly email: string
  readonly role: GivenRole
  readonly invitedBy: string
}

export async function insertInvitation(tx: Transaction, wanted: NewInvitation): Promise<IssuedInvitation> {
  const token = newCheckedText(PREFIX)
  const invitation = await tx.one(sql.type(listed)`
    insert into invitations as i (team_id, email, role, invited_by, invited_by_email, token_hash, expires_at)
    select ${wanted.teamId}::uuid, ${wanted.email}, ${wanted.role}, u.id, u.email,
      ${sql.binary(checkedTextHash(token))}, ${EXPIRY}
    from auth.users u where u.id = ${wanted.invitedBy}::uuid
    returning ${COLUMNS}`)
  return { invitation, token }
}

/** Returns the open invitations of a team, newest first. */
export const listInvitations = (store: Queryable, teamId: string): Promise<readonly Invitation[]> =>
  store.any(sql.type(listed)`
    select ${COLUMNS} from invitations i
    where i.team_id = ${teamId}::uuid and ${INVITATION_STATE} = 'open'
    order by i.created_at desc, i.id`)

/** Returns whether an invitation of the address to the team is open. */
export const hasInvitation = (store: Queryable, teamId: string, email: string): Promise<boolean> =>
  store.exists(sql.type(named)`
    select i.id, i.team_id from invitations i
    where i.team_id = ${teamId}::uuid and i.email = ${email} and ${INVITATION_STATE} = 'open'`)

/** Returns an invitation of the team, whatever its state. */
export const findInvitation = (store: Queryable, teamId: string, id: string): Promise<FoundInvitation | null> =>
  store.maybeOne(sql.type(found)`
    select i.id, i.team_id, i.email, i.role, i.invited_by, ${INVITATION_STATE} as state
    from invitations i where i.id = ${id}::uuid and i.team_id = ${teamId}::uuid`)

/** Returns the invitation whose link has this token. Null: it is unknown, or a new link has replaced it. */
export const findInvitationByToken = (store: Queryable, token: string): Promise<FoundInvitation | null> =>
  store.maybeOne(sql.type(found)`
    select i.id, i.team_id, i.email, i.role, i.invited_by, ${INVITATION_STATE} as state
    from invitations i where i.token_hash = ${sql.binary(checkedTextHash(token))}`)

/** Returns whether the token is that of an open invitation for the address. */
export async function isInvited(store: Queryable, token: string, email: string): Promise<boolean> {
  const found = await findInvitationByToken(store, token)
  return found?.state === 'open' && found.email === email.toLowerCase()
}

/** Returns what the bearer of the link may see. */
export const previewInvitation = (store: Queryable, token: string): Promise<InvitationPreview | null> =>
  store.maybeOne(sql.type(previewed)`
    select ${INVITATION_STATE} as state, t.name as team_name, i.email, i.role, ${INVITED_BY} as invited_by, i.expires_at
    from invitations i join teams t on t.id = i.team_id
    where i.token_hash = ${sql.binary(checkedTextHash(token))}`)

const sentAgain = row({ count: Type.Integer(), wait_seconds: Type.Union([Type.Integer(), Type.Null()]) })

/** Returns how often the team invited the address within the last hour, and the seconds until the first is past. */
export const recentInvites = (tx: Transaction, teamId: string, email: string) =>
  tx.one(sql.type(sentAgain)`
    select count(*), ceil(extract(epoch from min(created_at) + interval '1 hour' - clock()))::int as wait_seconds
    from invitations
    where team_id = ${teamId}::uuid and email = ${email} and created_at > clock() - interval '1 hour'`)

/** Returns how often the invitation was sent again within the last hour, and the seconds until the first is past. */
export const recentResends = (tx: Transaction, id: string) =>
  tx.one(sql.type(sentAgain)`
    select count(*), ceil(extract(epoch from min(at) + interval '1 hour' - clock()))::int as wait_seconds
    from invitations i cross join unnest(i.resent_at) at
    where i.id = ${id}::uuid and at > clock() - interval '1 hour'`)

/** Gives the invitation a new link, which works for the whole time again. The old link is unknown from now on. */
export async function renewInvitation(tx: Transaction, id: string): Promise<IssuedInvitation> {
  const token = newCheckedText(PREFIX)
  const invitation = await tx.one(sql.type(listed)`
    update invitations i
    set token_hash = ${sql.binary(checkedTextHash(token))}, expires_at = ${EXPIRY},
      resent_at = array(select at from unnest(i.resent_at) at where at > clock() - interval '1 hour') || clock()
    where i.id = ${id}::uuid
    returning ${COLUMNS}`)
  return { invitation, token }
}

export async function endInvitation(tx: Transaction, id: string, as: 'accepted' | 'revoked'): Promise<void> {
  await tx.query(sql.type(nothing)`update invitations set ended_as = ${as} where id = ${id}::uuid`)
}

/** Deletes invitations whose links expired long ago. Returns how many. Used by the maintenance. */
export async function purgeInvitations(store: Queryable): Promise<number> {
  const { rowCount } = await store.query(sql.type(nothing)`
    delete from invitations where id in (
      select id from invitations where expires_at < clock() - make_interval(days => ${INVITATION_KEPT_DAYS})
      limit 10000 for update skip locked
    )`)
  return rowCount
}
