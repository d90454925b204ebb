import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Transaction } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'

/** How many invitation mails may be sent within an hour or a day: by the team, by all on the plan free, or by all. */
export interface MailBound {
  readonly of: 'team' | 'free' | 'installation'
  readonly most: number
  readonly per: 'hour' | 'day'
}

/** A bound that was reached. */
export interface ReachedBound extends MailBound {
  /** Seconds until it allows one more mail. */
  readonly waitSeconds: number
}

/** A team that sends an invitation mail. */
interface Sender {
  readonly teamId: string
  readonly isFree: boolean
}

/**
 * Counts an invitation mail, unless it would exceed a bound. Returns the first bound that it would exceed; null: it
 * is counted. The transaction must hold the lock of the team. Where a bound is not the team's own, it also keeps all
 * other teams from sending until it ends, so that nobody slips past.
 */
export async function countInvitationMail(
  tx: Transaction,
  { teamId, isFree }: Sender,
  bounds: readonly MailBound[],
): Promise<ReachedBound | null> {
  const own = bounds.filter(({ of }) => of === 'team')
  const shared = bounds.filter(({ of }) => of !== 'team')
  const reached = await firstReached(tx, teamId, own)
  if (reached) return reached
  if (shared.length > 0) await lockInstallation(tx)
  const reachedByAll = await firstReached(tx, teamId, shared)
  if (reachedByAll) return reachedByAll
  await tx.query(sql.type(nothing)`
    insert into invitation_mails (team_id, is_free) values (${teamId}::uuid, ${isFree})`)
  return null
}

const lockInstallation = (tx: Transaction) =>
  tx.query(sql.type(nothing)`select pg_advisory_xact_lock(hashtext('tidemark.invitation_mails'))`)

async function firstReached(
  tx: Transaction,
  teamId: string,
  bounds: readonly MailBound[],
): Promise<ReachedBound | null> {
  for (const bound of bounds) {
    const waitSeconds = await waitSecondsOf(tx, teamId, bound)
    if (waitSeconds !== null) return { ...bound, waitSeconds }
  }
  return null
}

const wait = row({ wait_seconds: Type.Integer() })

/** A bound is reached while the mail that is as many mails back as it allows is within its time. Null: it is not. */
async function waitSecondsOf(tx: Transaction, teamId: string, { of, most, per }: MailBound): Promise<number | null> {
  const found = await tx.maybeOne(sql.type(wait)`
    select greatest(1, ceil(extract(epoch from sent_at + w.length - clock())))::int as wait_seconds
    from (values (${`1 ${per}`}::interval)) w (length) cross join lateral (
      select sent_at from invitation_mails where ${COUNTED[of](teamId)}
      order by sent_at desc offset ${most - 1} limit 1
    ) oldest
    where sent_at > clock() - w.length`)
  return found && found.wait_seconds
}

const COUNTED = {
  team: (teamId: string) => sql.fragment`team_id = ${teamId}::uuid`,
  free: () => sql.fragment`is_free`,
  installation: () => sql.fragment`true`,
} as const satisfies Record<MailBound['of'], (teamId: string) => ReturnType<typeof sql.fragment>>

/** Deletes what no bound counts any more. Returns how many rows. Used by the maintenance. */
export async function purgeInvitationMails(store: Queryable): Promise<number> {
  const { rowCount } = await store.query(sql.type(nothing)`
    delete from invitation_mails where ctid = any(array(
      select ctid from invitation_mails where sent_at <= clock() - interval '1 day'
      order by sent_at limit 10000 for update skip locked
    ))`)
  return rowCount
}
