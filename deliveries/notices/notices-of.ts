import { isOfHealth } from '../../core/run-notices.ts'
import { FAILURES_UNTIL_PAUSED } from '../../core/schedule.ts'
import type { DeliveryConfig, NoticeKind } from '../../schema/monitor/delivery-config.ts'
import { API_VERSION } from '../../schema/run/delivery.ts'
import type { NoticePayload } from '../../schema/run/notice.ts'
import type { ReusedRunnerToken } from '../../store/accounts/credentials/runner-token-exchange.ts'
import { hostOf, newDelivery, targetKey } from '../../store/deliveries/delivery-row.ts'
import type { NoticeEvent, NoticeRow, NotifiedMonitor, EventToNotify } from '../../store/deliveries/notify-of-events.ts'
import type { AboveLevel } from '../../store/maintenance/above-level.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { DeliveryLog } from '../loop/delivery-log.ts'
import { ABOVE_LEVEL, aboveLevelText } from './above-level-text.ts'
import { notPrunedText } from './not-pruned-text.ts'
import { type Blocks, textOf } from './notice-text.ts'
import { RUNNER_TOKEN_REUSED, runnerTokenText } from './runner-token-text.ts'

interface NoticePorts {
  readonly secrets: SecretBox
  readonly hasMail: boolean
  readonly log: DeliveryLog
}

/** One who gets the message. */
interface Recipient {
  readonly config: DeliveryConfig
  readonly as: NoticePayload['recipient']
  /** The monitor whose destination it is, and whose secret signs. Null: the owner. */
  readonly monitor: NotifiedMonitor | null
}

/**
 * Returns the messages of an event: one for each destination that wants it, and one for the owner. A destination that
 * is named twice gets one message. The destination that an event is about gets none.
 */
export function noticesOf(given: EventToNotify, ports: NoticePorts): NoticeRow[] {
  const { event, monitor } = given
  const { secrets } = ports
  const known = monitor ? destinationsOf(monitor, event.team_id, ports) : []
  const blocks = blocksOf(event, known)
  const recipients = recipientsOf(given, ports).filter(({ config }) => targetKey(config) !== event.detail['target_key'])
  return recipients.map(({ config, as, monitor: own }, place): NoticeRow => {
    // A receiver that keeps states by monitor must not take the monitor that names it for one that fails.
    const about = isOfTeamHealth(event) ? null : (monitor ?? own)
    const content = {
      version: API_VERSION,
      type: 'notice',
      kind: event.kind,
      occurred_at: new Date(event.occurred_ms).toISOString(),
      ...textOf({ kind: event.kind, blocks, name: about?.name ?? null, about: about?.kind ?? null }),
      recipient: as,
      monitor_id: about?.id ?? null,
      run_id: event.run_id,
      monitor: about && { url: about.url, name: about.name, kind: about.kind },
      ...blocks,
    } as const
    const payload = (id: string): NoticePayload => ({ id, ...content })
    const mute = monitor?.mute ?? null
    const row = newDelivery({
      secrets,
      outbox: 'notices',
      teamId: event.team_id,
      config,
      at: event.now_ms,
      place,
      payload,
      monitorLevel: own?.level,
      by: { ...addedBy(own), mute },
      isNeverHeld: NEVER_HELD.has(event.kind) || isOfRunnerToken(event),
    })
    return { ...row, team_id: event.team_id, ...numbersOf(row, { own, monitor }), kind: event.kind }
  })
}

/** The message of a monitor is for changes. */
const addedBy = (own: NotifiedMonitor | null) =>
  own && { quiet_hours: own.quiet_hours, digest: own.digest, labels: own.labels, engine: own.engine }

interface Concerned {
  readonly own: NotifiedMonitor | null
  readonly monitor: NotifiedMonitor | null
}

const numbersOf = ({ held }: Pick<NoticeRow, 'held'>, { own, monitor }: Concerned) => ({
  monitor_no: own?.no ?? null,
  muted_no: held === 'muted' && monitor ? monitor.no : null,
})

/** A person has to act on them, whatever the hour. */
const NEVER_HELD: ReadonlySet<NoticeKind> = new Set(['quota', 'delivery_dead'])

/** A runner token was revoked, because it was copied. It concerns who installed Tidemark. */
const isOfRunnerToken = ({ detail }: NoticeEvent) => 'runner_token' in detail

/** Checks wait for a browser or a later version, or files of monitors are gone: no monitor is failing. */
const isOfTeamHealth = ({ detail }: NoticeEvent) =>
  'waiting_for_browser' in detail || 'not_pruned' in detail || 'above_level' in detail

/** Only a monitor that pauses itself causes an event of so many failures (store/deliveries/notices.ts). */
const isOfPause = (failures: unknown) => Number(failures) >= FAILURES_UNTIL_PAUSED

function recipientsOf({ event, monitors }: EventToNotify, ports: NoticePorts): readonly Recipient[] {
  const byTarget = new Map<string, Recipient>()
  for (const monitor of monitors)
    for (const config of destinationsOf(monitor, event.team_id, ports)) {
      const key = targetKey(config)
      if (!byTarget.has(key)) byTarget.set(key, { config, as: 'destination', monitor })
    }
  // The owner is notified of them, unless the team has turned it off.
  const isHealth = event.kind === 'delivery_dead' || isOfHealth(event.kind, !('fields' in event.detail))
  // The pause of a search has its own mail.
  const isPause = isOfPause(event.detail['consecutive_failures'])
  const isForOwner =
    event.kind === 'quota' || isOfRunnerToken(event) || (isHealth && !isPause && event.error_notifications)
  if (!isForOwner || !ports.hasMail || event.owner_email === null) return [...byTarget.values()]
  const config: DeliveryConfig = { type: 'email', to: event.owner_email }
  // An owner who is a destination too gets one mail.
  return [...byTarget.set(targetKey(config), { config, as: 'owner', monitor: null }).values()]
}

function destinationsOf(
  { id, deliveries }: NotifiedMonitor,
  teamId: string,
  { secrets, log }: NoticePorts,
): readonly DeliveryConfig[] {
  if (!deliveries) return []
  try {
    return secrets.open({ teamId, column: 'monitors.deliveries', rowId: id }, deliveries) as DeliveryConfig[]
  } catch (err) {
    log.error({ err, monitor_id: id }, 'the destinations of a monitor cannot be opened; they miss a notice')
    return []
  }
}

/** No run failed: the checks of a team are not begun. */
const WAITING_FOR_BROWSER = {
  consecutive_failures: 0,
  error_code: 'not_available',
  error_message: 'No process of this installation takes checks that need a browser.',
} as const

/** Returns the facts of an event under the name of its kind. */
function blocksOf(event: NoticeEvent, destinations: readonly DeliveryConfig[]): Blocks {
  const { kind, detail } = event
  switch (kind) {
    case 'recovered':
      return {}
    case 'failing':
      if ('not_pruned' in detail)
        return { failing: { consecutive_failures: 0, error_code: null, error_message: notPrunedText(detail) } }
      if ('above_level' in detail) {
        const message = aboveLevelText(detail['above_level'] as AboveLevel)
        return { failing: { consecutive_failures: 0, error_code: ABOVE_LEVEL, error_message: message } }
      }
      if (isOfRunnerToken(event)) {
        const message = runnerTokenText(detail['runner_token'] as ReusedRunnerToken)
        return { failing: { consecutive_failures: 0, error_code: RUNNER_TOKEN_REUSED, error_message: message } }
      }
      if (isOfTeamHealth(event)) return { failing: WAITING_FOR_BROWSER }
      return {
        failing: {
          consecutive_failures: Number(detail['consecutive_failures'] ?? 0),
          error_code: event.error_code,
          error_message: event.error_message?.slice(0, 4096) ?? null,
        },
      }
    case 'field_missing': {
      const fields = (detail['fields'] ?? null) as readonly string[] | null
      return { field_missing: { fields: [...(fields ?? [])].slice(0, 50), all: fields === null } }
    }
    case 'delivery_dead': {
      const { target_key: key, host, ...rest } = detail
      const config = destinations.find((one) => targetKey(one) === key)
      const destination = config?.type === 'email' ? config.to : config ? hostOf(config) : String(host)
      return { delivery_dead: { ...rest, destination } as NonNullable<Blocks['delivery_dead']> }
    }
    case 'quota':
      return { quota: { ...detail, resets_at: instantOf(detail['resets_at']) } as NonNullable<Blocks['quota']> }
  }
}

const instantOf = (text: unknown) => (typeof text === 'string' ? new Date(text).toISOString() : null)
