import { randomBytes } from 'node:crypto'
import { sql, UniqueIntegrityConstraintViolationError } from 'slonik'
import Type from 'typebox'
import type { ApiKey } from '../../schema/account/api-key.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { RESET_HOURS } from '../../schema/account/pages.ts'
import type { Tier } from '../../schema/account/plan.ts'
import type { Queryable, Store, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { addCredits, changePlan, isTrialOver } from '../quota/usage.ts'
import { endAccess, resetIdentifier } from './account-links.ts'
import { recordAudit } from './audit.ts'
import { listApiKeys, revokeApiKey } from './credentials/api-keys.ts'
import { INVITATION_STATE, renewInvitation } from './team/invitations.ts'

const owned = row({ team_id: Type.String(), user_id: Type.String() })

function findOwned(store: Queryable, email: string) {
  return store.maybeOne(sql.type(owned)`
    select t.id as team_id, u.id as user_id
    from auth.users u join teams t on t.owner_user_id = u.id
    where u.email = ${email.toLowerCase()}
    for no key update of t`)
}
type Owned = NonNullable<Awaited<ReturnType<typeof findOwned>>>

/**
 * Does the work for the account and the team that it owns, which is locked: of two changes at the same time, the second
 * sees what the first did. Returns null when there is no such account.
 */
const ofOwner = <T>(store: Store, email: string, work: (tx: Transaction, owner: Owned) => Promise<T>) =>
  store.transaction(async (tx) => {
    const found = await findOwned(tx, email)
    return found && work(tx, found)
  })

/** Returns the id of the account with this address, or null. */
export const accountId = (store: Queryable, email: string): Promise<string | null> =>
  store.maybeOneFirst(sql.type(row({ id: Type.String() }))`
    select id from auth.users where email = ${email.toLowerCase()}`)

/** Returns the working keys of the account's team, the newest first; null when there is no such account. */
export const listKeysOf = (store: Store, email: string): Promise<readonly ApiKey[] | null> =>
  ofOwner(store, email, (tx, { team_id: teamId }) => listApiKeys(tx, teamId))

/**
 * Revokes a key of the account's team at once. Returns null when there is no such account, and `no_such_key` when its
 * team has no working key with this id.
 */
export const revokeKeyOf = (store: Store, email: string, keyId: string) =>
  ofOwner(store, email, async (tx, { team_id: teamId }) => {
    const revoked = await revokeApiKey(tx, teamId, keyId)
    if (!revoked) return 'no_such_key' as const
    const target = { id: revoked.id, label: revoked.prefix }
    await recordAudit(tx, { teamId, actor: SYSTEM, action: 'api_key.deleted', target })
    return revoked
  })

/**
 * Changes the address that an account signs in with and gets mail at. Links that were mailed to the old address stop
 * working, and all sessions end. Returns null when there is no such account. */
export async function setEmail(store: Store, email: string, to: string): Promise<'changed' | 'taken' | null> {
  try {
    return await ofOwner(store, email, async (tx, { team_id: teamId, user_id: id }) => {
      await tx.query(sql.type(nothing)`
        update auth.users set email = ${to.toLowerCase()}, updated_at = now() where id = ${id}::uuid`)
      await endAccess(tx, id)
      const metadata = { from: email.toLowerCase() }
      const target = { id, label: to.toLowerCase() }
      await recordAudit(tx, { teamId, actor: SYSTEM, action: 'account.email_changed', target, metadata })
      return 'changed' as const
    })
  } catch (error) {
    if (error instanceof UniqueIntegrityConstraintViolationError) return 'taken'
    throw error
  }
}

const issued = row({ expires_at: Type.String() })

/**
 * Creates a token with which `POST /auth/reset-password` sets a new password, once. Earlier tokens of the account stop
 * working. Returns null when there is no such account.
 */
export const createResetToken = (store: Store, email: string) =>
  ofOwner(store, email, async (tx, { team_id: teamId, user_id: id }) => {
    const token = randomBytes(24).toString('base64url')
    await tx.query(sql.type(nothing)`delete from auth.verifications where value = ${id}`)
    const { expires_at } = await tx.one(sql.type(issued)`
      insert into auth.verifications (identifier, value, expires_at)
      values (${resetIdentifier(token)}, ${id}, now() + make_interval(hours => ${RESET_HOURS}))
      returning expires_at`)
    const target = { id, label: email.toLowerCase() }
    await recordAudit(tx, { teamId, actor: SYSTEM, action: 'account.password_reset_issued', target })
    return { token, expires_at }
  })

/**
 * Puts the account's team on a plan, at once (`changePlan`). Returns null when there is no such account.
 */
export const setPlan = (store: Store, email: string, plan: Tier, withSerp: boolean) =>
  ofOwner(store, email, async (tx, { team_id: teamId }) => {
    const { serp, before } = await changePlan(tx, teamId, { tier: plan, withSerp })
    const metadata = { from: before.tier, to: plan, serp, previous_serp: before.serp }
    const target = { id: teamId, label: plan }
    await recordAudit(tx, { teamId, actor: SYSTEM, action: 'billing.plan_changed', target, metadata })
    return { plan, serp, previous_plan: before.tier }
  })

/**
 * Gives the account's team run credits. Returns how many it has now, and whether they wait for a plan because its trial
 * is over; null when there is no such account.
 */
export const grantCredits = (store: Store, email: string, runs: number) =>
  ofOwner(store, email, async (tx, { team_id: teamId }) => {
    const credits = await addCredits(tx, teamId, runs)
    const target = { id: teamId, label: String(runs) }
    await recordAudit(tx, { teamId, actor: SYSTEM, action: 'billing.credits_granted', target, metadata: { runs } })
    return { credits, waitsForPlan: await isTrialOver(tx, teamId) }
  })

const open = row({ id: Type.String(), team_id: Type.String(), team_name: Type.String(), role: Type.String() })

/**
 * Gives every open invitation of an address a new link, and returns the tokens. The links that were sent before stop
 * working. An empty list: no invitation is open.
 */
export const renewInvitationsOf = (store: Store, email: string) =>
  store.transaction(async (tx) => {
    const ofAddress = sql.fragment`
      from invitations i join teams t on t.id = i.team_id
      where i.email = ${email.toLowerCase()} and ${INVITATION_STATE} = 'open'`
    // The teams are locked first, so that the invitations read below cannot change before they are renewed.
    await tx.query(sql.type(nothing)`select t.id ${ofAddress} order by t.id for no key update of t`)
    const invitations = await tx.any(sql.type(open)`
      select i.id, i.team_id, t.name as team_name, i.role ${ofAddress} order by t.id, i.id`)
    const renewed = []
    for (const { id, team_id: teamId, team_name, role } of invitations) {
      const { token, invitation } = await renewInvitation(tx, id)
      const target = { id, label: invitation.email }
      await recordAudit(tx, { teamId, actor: SYSTEM, action: 'team.invitation_resent', target, metadata: { role } })
      renewed.push({ team_name, role: invitation.role, token, expires_at: invitation.expires_at })
    }
    return renewed
  })
