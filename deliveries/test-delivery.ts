import { randomUUID } from 'node:crypto'
import { type ChangeContent, MADE_UP_ID } from '../core/example-change.ts'
import { deliveryPayload } from '../core/payload.ts'
import { newSigningSecret } from '../core/signature.ts'
import type { Requester } from '../schema/account/audit.ts'
import { type DeliveryConfig, isForPeople } from '../schema/monitor/delivery-config.ts'
import type { DeliveryTest } from '../schema/run/delivery-test.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { hasMember } from '../store/accounts/team/team-members.ts'
import type { Store } from '../store/db/client.ts'
import { hostOf } from '../store/deliveries/delivery-row.ts'
import type { SealedTarget } from '../store/deliveries/sealed-target.ts'
import type { Channels } from './channels/channel.ts'
import { onChannel } from './channels/on-channel.ts'
import { afterOutcome } from './loop/attempt-recorder.ts'
import type { DeliveryLog } from './loop/delivery-log.ts'
import { shownRequest } from './shown-request.ts'

interface TestPorts {
  readonly store: Store
  readonly channels: Channels
  readonly log: DeliveryLog
}

/** A destination to try. */
export interface Tested {
  /** With what its monitor adds. */
  readonly config: SealedTarget
  readonly content: ChangeContent
  /** Signs the request. Null: the monitor has none, or there is no monitor. */
  readonly secret: string | null
  /** The monitor that has the destination, and its place there. Null: none has it. */
  readonly of: { readonly monitorId: string; readonly name: string; readonly index: number } | null
}

interface TestWanted extends Requester, Tested {
  /** Ends the attempt: nobody waits for its result any more. */
  readonly signal: AbortSignal
}

type TestOutcome =
  | { readonly kind: 'done'; readonly test: DeliveryTest }
  /** A mail to somebody who is not a member of the team. */
  | { readonly kind: 'not_member' }
  | { readonly kind: 'left' }

/**
 * Makes one attempt to send a message that says that it is a test. It goes the way of every delivery, so it reaches
 * nothing that they do not. It leaves no row but the line of the audit log, which is written before the attempt.
 */
export async function testDelivery({ store, channels, log }: TestPorts, wanted: TestWanted): Promise<TestOutcome> {
  const { teamId, actor, config, content, of, signal } = wanted
  if (config.type === 'email' && !(await hasMember(store, teamId, config.to.toLowerCase())))
    return { kind: 'not_member' }
  const secret = wanted.secret ?? newSigningSecret()
  const id = randomUUID()
  const payload = JSON.stringify(deliveryPayload({ id, ...forType(config, content), test: true }))
  const message = { id, team: teamId, payload, secrets: [secret], named: config.named }
  const prepared = await onChannel(channels, config, (channel, own) => channel.prepare({ ...message, config: own }))
  const place = config.type === 'email' ? config.to : hostOf(config)
  await store.transaction((tx) =>
    recordAudit(tx, {
      teamId,
      actor,
      action: 'delivery.tested',
      target: { id: null, label: of?.name ?? place },
      metadata: { type: config.type, destination: place, ...(of && { monitor_id: of.monitorId, index: of.index }) },
    }),
  )
  const startedAt = performance.now()
  const outcome = prepared.kind === 'impossible' ? prepared : await prepared.send({ signal, log })
  if (outcome.kind === 'aborted') return { kind: 'left' }
  const { status, retry_after_seconds, response_status, response_body } = afterOutcome(1, outcome)
  const test: DeliveryTest = {
    status: status === 'success' ? 'success' : 'failed',
    is_final: retry_after_seconds === null,
    response_status,
    response_body,
    duration_ms: Math.round(performance.now() - startedAt),
    run_id: content.runId === MADE_UP_ID ? null : content.runId,
    ...(wanted.secret === null && config.type === 'webhook' && { signing_secret: secret }),
    request: shownRequest(prepared, { mayWrite: true }),
  }
  return { kind: 'done', test }
}

/** As in deliveries, only messages to people say which fields are numbers. */
const forType = (config: DeliveryConfig, content: ChangeContent): ChangeContent =>
  isForPeople(config) ? content : { ...content, numericFields: [] }
