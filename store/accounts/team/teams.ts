import { sql } from 'slonik'
import Type from 'typebox'
import { serpAccess } from '../../../core/plan/serp-access.ts'
import { type Tier, TRIAL_DAYS } from '../../../schema/account/plan.ts'
import type { Queryable, Store, Transaction } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'
import { openUsage } from '../../quota/usage.ts'

const made = row({ id: Type.String() })

/** The team of a new account. */
interface NewTeam {
  readonly ownerId: string
  readonly ownerEmail: string
  readonly plan: Tier
  /** The plan is the variant with SERP; the trial always is. */
  readonly serp: boolean
}

/**
 * Creates the account's team with its owner and its pools, or returns the existing one. Every account owns exactly one
 * team.
 */
export async function ensureTeam(tx: Transaction, team: NewTeam): Promise<string> {
  const trial = team.plan === 'free'
  const { id: teamId } = (await tx.maybeOne(sql.type(made)`
      insert into teams (name, owner_user_id, tier, serp, trial_ends_at)
      values (
        ${nameOf(team.ownerEmail)}, ${team.ownerId}, ${team.plan}, ${serpAccess(team.plan, team.serp)},
        case when ${trial} then clock() + make_interval(days => ${TRIAL_DAYS}) end
      )
      on conflict (owner_user_id) do nothing
      returning id`)) ?? { id: null }
  if (teamId === null) return tx.oneFirst(sql.type(made)`select id from teams where owner_user_id = ${team.ownerId}`)
  await tx.query(sql.type(nothing)`
    insert into team_members (team_id, user_id, role) values (${teamId}, ${team.ownerId}, 'owner')`)
  await openUsage(tx, teamId, trial ? 'trial' : 'plan')
  return teamId
}

const teamRow = row({ id: Type.String(), owner_user_id: Type.String() })

/** Returns a team and its owner; null when the text names none, or one that has ended. */
export async function findTeam(store: Queryable, id: string) {
  return store.maybeOne(
    sql.type(teamRow)`select id, owner_user_id from teams where id::text = lower(${id}) and ended_at is null`,
  )
}

/** Returns the first team of the installation and its owner; null when there is none. */
export async function firstTeam(store: Queryable) {
  return store.maybeOne(
    sql.type(teamRow)`select id, owner_user_id from teams where ended_at is null order by created_at, id limit 1`,
  )
}

/** Returns whether no team has an owner: the installation is new, or its accounts were deleted. */
export const hasNoTeam = (store: Store | Transaction): Promise<boolean> =>
  store.maybeOne(sql.type(made)`select id from teams where ended_at is null limit 1`).then((found) => found === null)

const nameOf = (email: string) => `Team of ${email.split('@')[0] ?? email}`.slice(0, 80)
