import type { Invalid, NotFound } from '../../core/outcome.ts'
import { type Actor, type AuditAction, SYSTEM } from '../../schema/account/audit.ts'
import { type Billing, type PlanCheckout, SUBSCRIPTION_STATUSES } from '../../schema/account/billing.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import {
  addPurchase,
  emailOf,
  findByCustomer,
  keepTeam,
  lockSubscription,
  noteCheckout,
  noteCustomer,
  readBilling,
  type SubscriptionRow,
  writeSubscription,
} from '../../store/accounts/team/subscriptions.ts'
import type { Transaction } from '../../store/db/client.ts'
import { anchorPeriod, changePlan, isTrialOver } from '../../store/quota/usage.ts'
import type { AccountContext } from '../context.ts'
import type { UserRequester } from '../team-act.ts'
import {
  type BillingProvider,
  CustomerGone,
  PaymentFault,
  type Payments,
  type PaidCredits,
  type SubscriptionState,
} from './provider.ts'

/** The ports of the use cases of billing. */
interface BillingContext extends AccountContext {
  readonly billing: BillingProvider
  /** The address under which people reach this installation, without a slash at its end. */
  readonly baseUrl: string
  readonly log: Record<'error' | 'warn', (details: object, message: string) => void>
}

/** Why nothing was bought, cancelled or resumed. */
export interface NotBilled {
  readonly kind: 'not_billed'
  readonly why: 'manual' | 'subscribed' | 'no_subscription' | 'no_customer' | 'trial_over' | 'away'
}

interface PageOpened {
  readonly kind: 'done'
  readonly url: string
}
type Bought = PageOpened | NotBilled | Invalid

const refused = (why: NotBilled['why']): NotBilled => ({ kind: 'not_billed', why })

/** Returns the team's plan and subscription, and what can be bought. */
export async function showBilling({ store, billing }: BillingContext, teamId: string): Promise<Billing> {
  const { plans, credits } = billing.prices
  return {
    provider: billing.name,
    ...(await readBilling(store, teamId)),
    plans: plans.map(({ tier: plan, serp }) => ({ plan, serp })),
    credit_packs: credits.map(({ runs }) => runs),
  }
}

const NEVER = new AbortController().signal

/**
 * Does a request with the payment provider. Other such requests of the team wait meanwhile. Only few teams do so at
 * once, because each has a connection to the store until the provider has answered.
 */
async function withPayments<T>(
  { store, billing: { payments, name }, log }: BillingContext,
  teamId: string,
  work: (tx: Transaction, payments: Payments, row: SubscriptionRow) => Promise<T>,
): Promise<T | NotBilled> {
  if (payments === null) return refused('manual')
  const leave = await payments.turns.enter(teamId, NEVER, payments.longestWaitMs)
  if (typeof leave !== 'function') return refused('away')
  try {
    return await store.transaction(async (tx) => work(tx, payments, await lockSubscription(tx, teamId)))
  } catch (error) {
    if (!(error instanceof PaymentFault)) throw error
    log.error({ err: error, provider: name, team: teamId }, 'the payment provider did not do what it was asked for')
    return refused('away')
  } finally {
    leave()
  }
}

/** Opens a page where the owner pays for a plan. A checkout of a plan that was begun before ends. */
export async function checkoutPlan(
  context: BillingContext,
  { plan, serp = false, ...requester }: UserRequester & PlanCheckout,
): Promise<Bought> {
  const price = context.billing.prices.plans.find((one) => one.tier === plan && one.serp === serp)?.ids[0]
  if (context.billing.payments !== null && price === undefined)
    return notSold('plan', `the plan ${plan}${serp ? ' with SERP' : ''} is not sold here; GET /v1/billing lists plans`)
  return withPayments(context, requester.teamId, async (tx, payments, row): Promise<PageOpened | NotBilled> => {
    if (row.is_live) return refused('subscribed')
    return asCustomer(context, { tx, payments, row, requester }, async (customer) => {
      if (row.checkout_id !== null) {
        await payments.endCheckout(row.checkout_id)
        // It may have been paid a moment ago.
        const state = await payments.findSubscription(customer, null)
        if (state !== null && SUBSCRIPTION_STATUSES[state.status]) {
          await applySubscription(tx, row, state, SYSTEM)
          return refused('subscribed')
        }
      }
      const buyer = { teamId: row.team_id, userId: requester.userId, customer }
      const { id, url } = await payments.openPlanCheckout(buyer, price ?? '', pagesOf(context))
      await noteCheckout(tx, row.team_id, id)
      await recordCheckout(tx, requester, serp ? `${plan} with SERP` : plan, { plan, serp })
      return { kind: 'done', url }
    })
  })
}

/**
 * Opens a page where the owner pays for run credits. They are added when they are paid. After a trial without a plan
 * they would pay for nothing, so none are sold.
 */
export async function checkoutCredits(
  context: BillingContext,
  { runs, ...requester }: UserRequester & { readonly runs: number },
): Promise<Bought> {
  const pack = context.billing.prices.credits.find((one) => one.runs === runs)
  if (context.billing.payments !== null && !pack)
    return notSold('runs', `there is no pack of ${runs} runs; GET /v1/billing lists credit_packs`)
  return withPayments(context, requester.teamId, async (tx, payments, row): Promise<PageOpened | NotBilled> => {
    if (await isTrialOver(tx, row.team_id)) return refused('trial_over')
    return asCustomer(context, { tx, payments, row, requester }, async (customer) => {
      // The plan was lost if the customer was.
      if (await isTrialOver(tx, row.team_id)) return refused('trial_over')
      const buyer = { teamId: row.team_id, userId: requester.userId, customer }
      const { url } = await payments.openCreditCheckout(buyer, pack ?? { runs, price: '' }, pagesOf(context))
      await recordCheckout(tx, requester, `${runs} runs`, { runs })
      return { kind: 'done', url }
    })
  })
}

const notSold = (path: string, message: string): Invalid => ({ kind: 'invalid', issues: [{ path, message }] })

const recordCheckout = (tx: Transaction, { teamId, actor }: UserRequester, label: string, metadata: BillingFacts) =>
  recordAudit(tx, { teamId, actor, action: 'billing.checkout_started', target: { id: teamId, label }, metadata })
type BillingFacts = Readonly<Record<string, string | number | boolean>>

/** A request of an owner that is under way with the provider. */
interface Paying {
  readonly tx: Transaction
  readonly payments: Payments
  readonly row: SubscriptionRow
  readonly requester: UserRequester
}

/**
 * Does the work with the team's customer, and makes the customer where there is none yet. One that was deleted at the
 * provider is followed by a new one, once: its subscription has ended, and what it paid for is the team's.
 */
async function asCustomer<T>(
  { log, billing: { name } }: BillingContext,
  { tx, payments, row, requester: { userId } }: Paying,
  work: (customer: string) => Promise<T>,
): Promise<T> {
  const { team_id: teamId } = row
  const create = async (after: string | null) => {
    const id = await payments.createCustomer({ teamId, email: (await emailOf(tx, userId)) ?? '', after })
    await noteCustomer(tx, teamId, id)
    return id
  }
  const customer = row.customer_id ?? (await create(null))
  try {
    return await work(customer)
  } catch (error) {
    if (!(error instanceof CustomerGone)) throw error
    if (row.is_live) {
      const state = await payments.findSubscription(customer, row.subscription_id)
      // The provider says two things, or the key is that of another account of it.
      if (state === null || SUBSCRIPTION_STATUSES[state.status]) throw error
      await applySubscription(tx, row, state, SYSTEM)
    }
    log.warn({ provider: name, team: teamId, customer }, 'the provider has no such customer: the team gets a new one')
    return work(await create(customer))
  }
}

const pagesOf = ({ baseUrl }: BillingContext) => ({ done: `${baseUrl}/billing/done`, left: `${baseUrl}/billing/left` })

/** Opens the page where the owner changes the plan or the way of paying, and finds invoices. */
export const openPortal = (context: BillingContext, requester: UserRequester): Promise<PageOpened | NotBilled> =>
  withPayments(context, requester.teamId, async (tx, payments, row): Promise<PageOpened | NotBilled> =>
    row.customer_id === null
      ? refused('no_customer')
      : asCustomer(context, { tx, payments, row, requester }, async (customer) => ({
          kind: 'done',
          url: await payments.openPortal(customer, pagesOf(context).left),
        })),
  )

/** Lets the subscription end with its period, or not. What is so already changes nothing and is not recorded. */
export const setCancelled = (
  context: BillingContext,
  { teamId, actor, isCancelled }: UserRequester & { readonly isCancelled: boolean },
): Promise<{ readonly kind: 'done' } | NotBilled> =>
  withPayments(context, teamId, async (tx, payments, row): Promise<{ readonly kind: 'done' } | NotBilled> => {
    if (!row.is_live || row.subscription_id === null) return refused('no_subscription')
    const state = await payments.setCancelled(row.subscription_id, isCancelled)
    const isLive = SUBSCRIPTION_STATUSES[state.status]
    await applySubscription(tx, row, state, isLive ? actor : SYSTEM)
    return isLive ? { kind: 'done' } : refused('no_subscription')
  })

/** A live subscription has no price that the settings name. */
interface UnknownPrice {
  readonly kind: 'unknown_price'
}

/**
 * Writes what the provider said, and what follows from it for the team, in one transaction: plan, periods, locks, audit
 * log. Returns `stale`, and changes nothing, when somebody wrote since `row` was read, or the team has ended since.
 */
async function applySubscription(
  tx: Transaction,
  row: SubscriptionRow,
  state: SubscriptionState,
  actor: Actor,
): Promise<'done' | 'stale'> {
  const { team_id: teamId } = row
  const { id, status, plan, periodEndsAt, cancelAtPeriodEnd, anchorAt } = state
  const isLive = SUBSCRIPTION_STATUSES[status]
  if (!(await writeSubscription(tx, row, { id, status, isLive, periodEndsAt, cancelAtPeriodEnd }))) return 'stale'
  const record = (action: AuditAction, label: string, metadata: BillingFacts) =>
    recordAudit(tx, { teamId, actor, action, target: { id: teamId, label }, metadata })
  const wasCancelled = row.is_live && row.cancel_at_period_end
  if (isLive && cancelAtPeriodEnd !== wasCancelled)
    await record(cancelAtPeriodEnd ? 'billing.cancelled' : 'billing.resumed', id, { ends_at: periodEndsAt })
  // A subscription that was never active does not change the plan that somebody set.
  if (!isLive && !row.is_live) return 'done'
  // Nor does one whose plan is not known.
  if (isLive && plan === null) return 'done'
  const to = isLive && plan !== null ? { tier: plan.tier, withSerp: plan.serp } : LAPSED
  const { tier, serp, before } = await changePlan(tx, teamId, to)
  if (isLive) await anchorPeriod(tx, teamId, anchorAt)
  if (tier !== before.tier || serp !== before.serp)
    await record('billing.plan_changed', tier, {
      from: before.tier,
      to: tier,
      serp,
      previous_serp: before.serp,
      status,
    })
  return 'done'
}

/** What follows a subscription that ended: a trial that is over. */
const LAPSED = { tier: 'free', withSerp: false, hasNoTrial: true } as const

/** How often a sync begins anew because another one wrote meanwhile. */
const MOST_ROUNDS = 5

/**
 * Reads a customer's subscription from the provider and applies it. Events only say that there is something to read, so
 * that it does not matter how often, how late and in which order they come.
 */
export async function syncCustomer(
  context: BillingContext,
  customer: string,
): Promise<{ readonly kind: 'done' } | NotFound | NotBilled | UnknownPrice> {
  const { store, log, billing } = context
  if (billing.payments === null) return refused('manual')
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // Read before the provider is asked: who writes meanwhile has asked later, or at the same time.
    const row = await findByCustomer(store, customer)
    if (!row) return { kind: 'not_found', what: 'team' }
    const state = await askedSubscription(context, billing.payments, { customer, known: row.subscription_id })
    if (state === 'away') return refused('away')
    if (state === null) return { kind: 'done' }
    if (row.is_ended) return endPaid(context, billing.payments, row, state)
    if (SUBSCRIPTION_STATUSES[state.status] && state.plan === null) {
      log.error({ team: row.team_id, subscription: state.id }, UNKNOWN_PRICE)
      return { kind: 'unknown_price' }
    }
    if ((await store.transaction((tx) => applySubscription(tx, row, state, SYSTEM))) === 'done') return { kind: 'done' }
  }
  return refused('away')
}

const UNKNOWN_PRICE =
  'a team pays for a subscription whose price is not in STRIPE_PRICES; its plan stays as it is until the price is added'

/**
 * An account can be deleted while a page for a plan is open, and the page be paid after that. Nobody is left who could
 * cancel, so the subscription is not renewed.
 */
async function endPaid(
  { log, billing: { name } }: BillingContext,
  payments: Payments,
  { team_id: team }: SubscriptionRow,
  { id, status, cancelAtPeriodEnd }: SubscriptionState,
): Promise<{ readonly kind: 'done' } | NotBilled> {
  if (!SUBSCRIPTION_STATUSES[status] || cancelAtPeriodEnd) return { kind: 'done' }
  log.error({ team, subscription: id }, 'a deleted team has paid for a plan: it is not renewed; give the money back')
  try {
    await payments.setCancelled(id, true)
    return { kind: 'done' }
  } catch (error) {
    if (!(error instanceof PaymentFault)) throw error
    log.error({ err: error, provider: name, team }, 'the payment provider did not do what it was asked for')
    return refused('away')
  }
}

async function askedSubscription(
  { log, billing: { name } }: BillingContext,
  payments: Payments,
  { customer, known }: { readonly customer: string; readonly known: string | null },
) {
  try {
    return await payments.findSubscription(customer, known)
  } catch (error) {
    if (!(error instanceof PaymentFault)) throw error
    log.error({ err: error, provider: name }, 'the payment provider did not tell of a subscription')
    return 'away'
  }
}

/** The provider signed no such body. */
interface NotSigned {
  readonly kind: 'not_signed'
}

/** Does what a signed event of the provider asks for. What concerns no team here is done with. */
export async function takeEvent(
  context: BillingContext,
  body: Buffer,
  signature: string,
): Promise<{ readonly kind: 'done' } | NotSigned | NotBilled | UnknownPrice> {
  const { payments } = context.billing
  if (payments === null) return refused('manual')
  const event = await payments.readEvent(body, signature)
  if (event === null) return { kind: 'not_signed' }
  if (event.kind === 'purchase') await takePurchase(context, event)
  if (event.kind !== 'subscription') return { kind: 'done' }
  const synced = await syncCustomer(context, event.customer)
  return synced.kind === 'not_found' ? { kind: 'done' } : synced
}

/** Some ways of paying are done days later, when the customer may have been deleted and followed by another one. */
const PAID_BY_ANOTHER =
  'run credits were paid by a customer that is not the one of the team, or not any more; nothing was added: look at ' +
  'the payment, and give the credits (admin grant-credits) or the money back'

/** Adds paid credits once, however often the provider reports them. */
async function takePurchase({ store, log }: BillingContext, paid: PaidCredits): Promise<void> {
  const { teamId, runs, customer, userId, checkout } = paid
  if ((await findByCustomer(store, customer))?.team_id !== teamId) {
    if (teamId !== '') log.error({ team: teamId, customer, checkout, runs }, PAID_BY_ANOTHER)
    return
  }
  await store.transaction(async (tx) => {
    if (!(await keepTeam(tx, teamId)))
      return log.error({ team: teamId, checkout }, 'a deleted team has paid for run credits; give the money back')
    if (!(await addPurchase(tx, paid))) return
    const email = await emailOf(tx, userId)
    const actor: Actor = email === null ? SYSTEM : { type: 'user', id: userId, label: email, ip: null }
    const target = { id: teamId, label: `${runs} runs` }
    const metadata = { runs, checkout }
    await recordAudit(tx, { teamId, actor, action: 'billing.credits_purchased', target, metadata })
  })
}
