import { EXAMPLE_PAGE, examplePageChange } from '../../core/example-change.ts'
import { prepareStored } from '../../deliveries/prepare-stored.ts'
import { shownRequest, withoutSignature } from '../../deliveries/shown-request.ts'
import { type Tested, testDelivery } from '../../deliveries/test-delivery.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { monitorIssues } from '../../monitors/check/monitor-issues.ts'
import type { Kind } from '../../monitors/kinds/kind.ts'
import { findTestedDelivery } from '../../monitors/tested-delivery.ts'
import { DeliveryRequest, DeliveryTest, DeliveryTestRequest, TESTS_PER_MINUTE } from '../../schema/run/delivery-test.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { hasValues } from '../../store/db/listed-bytes.ts'
import { findDelivery, readDeliveries } from '../../store/deliveries/deliveries.ts'
import type { StoredDelivery } from '../../store/deliveries/stored-delivery.ts'
import { tooMany } from '../auth/admit.ts'
import { permits } from '../auth/policies.ts'
import { later, left, noSuch } from '../http/common-errors.ts'
import { doneOf } from '../http/outcome-error.ts'
import { ById, ok, okParts, type Route, route } from '../http/route.ts'
import { validationError } from '../http/validation-error.ts'
import type { Services } from '../services.ts'

/** Returns the route that tries a destination, of a monitor of these kinds or of none. */
export const testDeliveryRoute = (kinds: readonly Kind[]): Route =>
  route({
    method: 'POST',
    path: '/v1/deliveries/test',
    summary: 'Send a test to a destination',
    description:
      'Makes one attempt to send a message that says that it is a test: `test` is true at the end of the payload of ' +
      'a webhook, and the headline of a chat or a mail begins with Test. What changed is that of the last run of the ' +
      'monitor that fired, else it is made up. The response has the request without its secrets, and the answer of ' +
      'the destination, which may be a refusal. No delivery is stored. Mail is sent to members of the team only. A ' +
      `team has ${TESTS_PER_MINUTE} tests a minute; one more is 429 \`RATE_LIMIT_EXCEEDED\` with \`Retry-After\`.`,
    tag: 'Deliveries',
    policy: 'monitors.write',
    work: 'delivery_test',
    bodyLimit: 'configuration',
    body: DeliveryTestRequest,
    review: (body, known, { egress }) => deliveryIssues(body, known, egress),
    answers: { 200: { description: 'What was sent, and the result.', schema: DeliveryTest } },
    refusals: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
    beyond: true,
    async handle({ body, principal: { teamId }, actor, services, signal = new AbortController().signal, log }) {
      const { store, channels } = services
      if (!channels) throw later('This process sends no messages.')
      const tested = await testedOf(services, kinds, { teamId, body })
      await takeOne(services, teamId)
      const outcome = await testDelivery({ store, channels, log }, { teamId, actor, signal, ...tested })
      if (outcome.kind === 'left') throw left()
      if (outcome.kind === 'not_member') throw notMember(body)
      return ok(outcome.test)
    },
  })

/** The issues of a destination by itself are those that it has in a monitor. */
function deliveryIssues(body: unknown, known: readonly Issue[], egress: EgressPolicy): readonly Issue[] {
  const { delivery } = Object(body) as Partial<DeliveryTestRequest>
  if (delivery === undefined) return []
  const inMonitor = known.map(({ path, message }) => ({ path: path.replace(/^delivery\b/, 'deliveries[0]'), message }))
  return monitorIssues({ deliveries: [delivery] }, inMonitor, egress).map(({ path, message }) => ({
    path: path.replace('deliveries[0]', 'delivery'),
    message,
  }))
}

interface Asked {
  readonly teamId: string
  readonly body: DeliveryTestRequest
}

async function testedOf(services: Services, kinds: readonly Kind[], { teamId, body }: Asked): Promise<Tested> {
  const { delivery, monitor_id: monitorId, index = 0 } = body
  const nowMs = Date.now()
  if (monitorId !== undefined)
    return doneOf(await findTestedDelivery(services, kinds, { teamId, monitorId, index, nowMs }))
  if (!delivery) throw new Error('a test has neither a destination nor a monitor')
  return { config: delivery, content: examplePageChange({ nowMs }, EXAMPLE_PAGE), secret: null, of: null }
}

async function takeOne({ limits }: Services, teamId: string): Promise<void> {
  const rule = { subject: `delivery-test:${teamId}`, perMinute: TESTS_PER_MINUTE, exact: true }
  const { passed, resetSeconds } = await limits.take(rule)
  if (!passed) throw tooMany(resetSeconds)
}

const notMember = ({ delivery }: DeliveryTestRequest) =>
  validationError('body', [{ path: delivery ? 'delivery.to' : 'index', message: NOT_MEMBER }])

const NOT_MEMBER = 'is the address of nobody in the team: a test is mailed to members only'

export const deliveryRequestRoute = route({
  method: 'GET',
  path: '/v1/deliveries/:id/request',
  summary: 'Read what is sent for a delivery',
  description:
    'Returns the request or the mail of an attempt that is made now, without secrets and without the signature. ' +
    'Nothing is sent.',
  tag: 'Deliveries',
  policy: 'deliveries.read',
  params: ById,
  answers: { 200: { description: 'What is sent.', schema: DeliveryRequest } },
  refusals: ['CONFLICT', 'UNAVAILABLE'],
  streams: true,
  beyond: true,
  async handle({ params: { id }, principal, services, left: signal }) {
    const { store, channels, lists, secrets, dashboardUrl } = services
    const links = { dashboardUrl }
    const { teamId } = principal
    const mayWrite = permits('monitors.write', principal)
    const found = await findDelivery(store, teamId, id)
    if (!found) throw noSuch('delivery')
    if (!channels) throw later('This process sends no messages.')
    const shown = async (stored: StoredDelivery) =>
      withoutSignature(shownRequest(await prepareStored({ channels, secrets, store, links }, stored), { mayWrite }))
    if (hasValues([found])) return ok(await shown(found))
    const read = async () => {
      const [whole] = await readDeliveries(store, teamId, [id])
      if (!whole) throw noSuch('delivery')
      return JSON.stringify(await shown(whole))
    }
    return okParts(await lists.openRecord({ teamId, bytes: found.bytes, read, left: signal }))
  },
})
