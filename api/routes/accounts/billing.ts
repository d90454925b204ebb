import { openPortal, setCancelled, showBilling } from '../../../accounts/billing/billing.ts'
import { checkoutCredits, checkoutPlan } from '../../../accounts/billing/checkout.ts'
import { takeEvent } from '../../../accounts/billing/take-event.ts'
import { Billing, CreditCheckout, PaymentPage, PlanCheckout } from '../../../schema/account/billing.ts'
import { apiError } from '../../http/api-error.ts'
import { later } from '../../http/common-errors.ts'
import { doneOf, outcomeError } from '../../http/outcome-error.ts'
import { noContent, ok, publicRoute, type Route, route } from '../../http/route.ts'
import { pageAnswer } from '../../pages/page-answer.ts'

const tag = 'Billing'
const policy = 'billing.manage'
const PAGE = { 200: { description: 'A page of the payment provider, to open in a browser.', schema: PaymentPage } }
const BILLING = { 200: { description: 'The plan, the subscription, and what can be bought.', schema: Billing } }
const acting = { method: 'POST', tag, policy, beyond: true, refusals: ['CONFLICT', 'UNAVAILABLE'] } as const

/** Changing the plan and buying run credits, for the owner. */
export const billingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/billing',
    summary: 'Read the plan and the subscription',
    tag,
    policy,
    beyond: true,
    answers: BILLING,
    handle: async ({ principal: { teamId }, services }) => ok(await showBilling(services, teamId)),
  }),
  route({
    ...acting,
    path: '/v1/billing/checkout',
    summary: 'Begin to buy a plan',
    description: 'The plan holds as soon as it is paid on the page.',
    body: PlanCheckout,
    answers: PAGE,
    async handle({ body, principal: { teamId, userId }, actor, services }) {
      const { url } = doneOf(await checkoutPlan(services, { teamId, userId, actor, ...body }))
      return ok({ url })
    },
  }),
  route({
    ...acting,
    path: '/v1/billing/credits',
    summary: 'Begin to buy run credits',
    description: 'The credits are added as soon as they are paid on the page.',
    body: CreditCheckout,
    answers: PAGE,
    async handle({ body, principal: { teamId, userId }, actor, services }) {
      const { url } = doneOf(await checkoutCredits(services, { teamId, userId, actor, ...body }))
      return ok({ url })
    },
  }),
  route({
    ...acting,
    path: '/v1/billing/portal',
    summary: 'Open the page for invoices, ways of paying and other plans',
    answers: PAGE,
    async handle({ principal: { teamId, userId }, actor, services }) {
      const { url } = doneOf(await openPortal(services, { teamId, userId, actor }))
      return ok({ url })
    },
  }),
  ...([true, false] as const).map((isCancelled) =>
    route({
      ...acting,
      path: isCancelled ? '/v1/billing/cancel' : '/v1/billing/resume',
      summary: isCancelled ? 'Cancel the subscription' : 'Take a cancellation back',
      description: isCancelled
        ? 'The plan holds until the end of the period that is paid.'
        : 'Possible until the subscription has ended.',
      answers: BILLING,
      async handle({ principal: { teamId, userId }, actor, services }) {
        doneOf(await setCancelled(services, { teamId, userId, actor, isCancelled }))
        return ok(await showBilling(services, teamId))
      },
    }),
  ),
]

/** What the payment provider calls and where it sends people back to. */
export const billingPages: readonly Route[] = [
  publicRoute({
    method: 'POST',
    path: '/webhooks/stripe',
    summary: 'Events of Stripe',
    tag,
    policy: 'public',
    isSigned: true,
    answers: { 204: { description: 'Done.' } },
    async handle({ body, headers, services }) {
      const signature = headers['stripe-signature']
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      const taken = await takeEvent(services, bytes, typeof signature === 'string' ? signature : '')
      switch (taken.kind) {
        case 'done':
          return noContent()
        case 'not_signed':
          throw apiError('UNAUTHORIZED', 'The body is not signed with the secret of STRIPE_WEBHOOK_SECRET, or too old.')
        case 'unknown_price':
          throw later('The subscription has no price of STRIPE_PRICES. Add it there.')
        case 'not_billed':
          throw taken.why === 'manual'
            ? apiError('NOT_FOUND', 'This installation takes no payments: STRIPE_SECRET_KEY is not set.')
            : outcomeError(taken)
      }
    },
  }),
  ...(['done', 'left'] as const).map((end) =>
    publicRoute({
      method: 'GET',
      path: `/billing/${end}`,
      summary: 'Page: back from the payment provider',
      tag,
      policy: 'public',
      answers: { 200: { description: 'A page.', only: 'text/html' } },
      handle: async () => pageAnswer(RETURNED[end]),
    }),
  ),
]

const RETURNED = {
  done: { title: 'Thank you', lines: ['The payment was made. What you bought is there within a minute.'] },
  left: { title: 'You are back', lines: ['Nothing that you left on the page of the payment provider was bought.'] },
}
