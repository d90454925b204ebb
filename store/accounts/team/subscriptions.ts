import { sql } from 'slonik'
import Type from 'typebox'
import { isUuid } from '../../../core/is-uuid.ts'
import { Billing, type SubscriptionStatus } from '../../../schema/account/billing.ts'
import type { Queryable, Transaction } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'
import { addCredits } from '../../quota/usage.ts'

const Null = Type.Null()
const columns = {
  team_id: Type.String(),
  customer_id: Type.Union([Type.String(), Null]),
  checkout_id: Type.Union([Type.String(), Null]),
  subscription_id: Type.Union([Type.String(), Null]),
  is_live: Type.Boolean(),
  cancel_at_period_end: Type.Boolean(),
  version: Type.Number(),
}
const subscription = row(columns)
/** `is_ended`: the account was deleted, and its team with it. */
const ofCustomer = row({ ...columns, is_ended: Type.Boolean() })
const COLUMNS = sql.fragment`
  team_id, customer_id, checkout_id, subscription_id, is_live, cancel_at_period_end, version`

/**
 * Returns what is known of a team's payments. Other requests that buy or cancel for the team wait until the transaction
 * ends.
 */
export async function lockSubscription(tx: Transaction, teamId: string) {
  await tx.query(sql.type(nothing)`
    insert into subscriptions (team_id) values (${teamId}::uuid) on conflict (team_id) do nothing`)
  return tx.one(sql.type(subscription)`
    select ${COLUMNS} from subscriptions where team_id = ${teamId}::uuid for update`)
}
export type SubscriptionRow = Awaited<ReturnType<typeof lockSubscription>>
type CustomerRow = SubscriptionRow & { readonly is_ended: boolean }

/** Returns what is known of the team of a customer; null when no team is this customer. */
export const findByCustomer = (store: Queryable, customer: string): Promise<CustomerRow | null> =>
  store.maybeOne(sql.type(ofCustomer)`
    select ${COLUMNS}, exists (select from teams t where t.id = team_id and t.ended_at is not null) as is_ended
    from subscriptions where customer_id = ${customer}`)

const customer = row({ customer_id: Type.String() })

/** Returns the customers of the account's team, or of all teams, also of those that ended: they may be paid for yet. */
export const listCustomers = (store: Queryable, email: string | null): Promise<readonly string[]> =>
  store.anyFirst(sql.type(customer)`
    select s.customer_id
    from subscriptions s join teams t on t.id = s.team_id left join auth.users u on u.id = t.owner_user_id
    where s.customer_id is not null and (${email}::text is null or u.email = ${email})
    order by s.team_id`)

export async function noteCustomer(tx: Transaction, teamId: string, id: string): Promise<void> {
  await tx.query(sql.type(nothing)`
    update subscriptions set customer_id = ${id} where team_id = ${teamId}::uuid`)
}

export async function noteCheckout(tx: Transaction, teamId: string, id: string): Promise<void> {
  await tx.query(sql.type(nothing)`
    update subscriptions set checkout_id = ${id} where team_id = ${teamId}::uuid`)
}

interface WrittenSubscription {
  readonly id: string
  readonly status: SubscriptionStatus
  readonly isLive: boolean
  readonly periodEndsAt: string
  readonly cancelAtPeriodEnd: boolean
}

/**
 * Writes what the provider said. Returns false, and writes nothing, when somebody wrote since the row was read, or the
 * team has ended.
 */
export async function writeSubscription(
  tx: Transaction,
  { team_id: teamId, version }: SubscriptionRow,
  { id, status, isLive, periodEndsAt, cancelAtPeriodEnd }: WrittenSubscription,
): Promise<boolean> {
  // Locked in this order everywhere. The second one waits for a deletion of the team that is under way.
  const same = await tx.maybeOne(sql.type(nothing)`
    select from subscriptions where team_id = ${teamId}::uuid and version = ${version} for update`)
  const team = await tx.maybeOne(sql.type(nothing)`
    select from teams where id = ${teamId}::uuid and ended_at is null for no key update`)
  if (!same || !team) return false
  await tx.query(sql.type(nothing)`
    update subscriptions set version = version + 1, subscription_id = ${id}, status = ${status},
      is_live = ${isLive}, period_ends_at = ${periodEndsAt}, cancel_at_period_end = ${cancelAtPeriodEnd}
    where team_id = ${teamId}::uuid`)
  return true
}

/** Returns whether the team still exists. If so, it does not end before the transaction does. */
export const keepTeam = (tx: Transaction, teamId: string): Promise<boolean> =>
  tx.exists(sql.type(nothing)`select from teams where id = ${teamId}::uuid and ended_at is null for share`)

/** Adds paid credits. Returns false, and adds nothing, when this checkout was counted before. */
export async function addPurchase(tx: Transaction, paid: { checkout: string; teamId: string; runs: number }) {
  const { rowCount } = await tx.query(sql.type(nothing)`
    insert into credit_purchases (checkout_id, team_id, runs)
    values (${paid.checkout}, ${paid.teamId}::uuid, ${paid.runs}::bigint)
    on conflict (checkout_id) do nothing`)
  if (rowCount === 0) return false
  await addCredits(tx, paid.teamId, paid.runs)
  return true
}

const { tier, serp, run_credits, subscription: held } = Billing.properties
const billing = row({ tier, serp, run_credits, subscription: held })

/** Returns the plan, the subscription and the credits of a team. */
export const readBilling = (store: Queryable, teamId: string) =>
  store.one(sql.type(billing)`
    select t.tier, t.serp, u.credits as run_credits,
      case when s.subscription_id is not null then json_build_object(
        'status', s.status, 'cancel_at_period_end', s.cancel_at_period_end,
        'period_ends_at', to_char(s.period_ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) end as subscription
    from teams t join team_usage u on u.team_id = t.id left join subscriptions s on s.team_id = t.id
    where t.id = ${teamId}::uuid`)

const email = row({ email: Type.String() })

/**
 * Returns the address of an account; null when there is none any more. A payment may name something that is not an id
 * of an account.
 */
export async function emailOf(store: Queryable, userId: string): Promise<string | null> {
  if (!isUuid(userId)) return null
  return store.maybeOneFirst(sql.type(email)`select email from auth.users where id = ${userId}::uuid`)
}
