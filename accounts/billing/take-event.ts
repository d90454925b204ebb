import { type Actor, SYSTEM } from '../../schema/account/audit.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { addPurchase, emailOf, findByCustomer, keepTeam } from '../../store/accounts/team/subscriptions.ts'
import type { PaidCredits } from './provider.ts'
import { syncCustomer, type UnknownPrice } from './sync-customer.ts'
import { type BillingContext, type NotBilled, refused } from './with-payments.ts'

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
