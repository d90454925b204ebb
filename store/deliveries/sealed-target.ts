import { hoursOf, type HeldByMonitor } from '../../core/hold/held-until.ts'
import { showValue } from '../../core/text/show-value.ts'
import { bodyTemplate, fieldsAlone, fieldsNamed, textTemplate } from '../../schema/message/message-template.ts'
import type { MessageConfig } from '../../schema/message/message.ts'
import { canCollect, type DeliveryConfig, isForPeople } from '../../schema/monitor/delivery-config.ts'
import { SERVICE_TABLE } from '../../schema/monitor/delivery-services.ts'
import type { DigestConfig } from '../../schema/monitor/digest.ts'
import type { Mute } from '../../schema/monitor/mute.ts'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Json, Values } from '../../schema/shape/json.ts'

/** The facts that a message in a user's own words may name besides its payload. */
export interface NamedFacts {
  readonly labels: Readonly<Record<string, string>>
  /** Of a search. */
  readonly engine?: SerpEngine | undefined
  /** The values that the run has read of the named fields: the payload has those that changed only. */
  readonly values?: Values | undefined
}

/** The keys of a monitor that it adds to its destinations. */
export interface AddedByMonitor extends HeldByMonitor, Partial<NamedFacts> {
  readonly message?: MessageConfig | null
  readonly mute?: Mute | null
}

/** A destination as it is sealed with a message to it. An edit of the monitor changes no message that is made. */
export type SealedTarget = DeliveryConfig & { readonly named?: NamedFacts }

/** Returns the digest that counts for a destination. That of a monitor is for those that can have one. */
const digestOf = (config: DeliveryConfig, by: AddedByMonitor): DigestConfig | null =>
  config.digest ?? (canCollect(config) ? by.digest : null) ?? null

/** Returns a destination with what its monitor adds: hours, a digest and a message, where it has none. */
export function sealedTarget(config: DeliveryConfig, by: AddedByMonitor): SealedTarget {
  const hours = hoursOf(config, by)
  const digest = digestOf(config, by)
  const message = config.message ?? (isForPeople(config) ? by.message : null)
  const body = config.type === 'webhook' ? config.body : undefined
  const named = message || body !== undefined ? namedFacts({ ...message, body }, by) : null
  return {
    ...config,
    ...(hours && { quiet_hours: hours }),
    ...(digest && { digest }),
    ...(message && { message }),
    ...(named && { named }),
  }
}

/**
 * A message shows the beginning of a long value. Values that keep their types are whole, as far as a body may have room
 * for all of them: it is sealed with each delivery, which takes 1.2 ms for the 100,000 characters of the largest.
 */
const LONGEST_VALUE = 2_000
const beginning = (text: string) =>
  text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE).toWellFormed()}…`

function namedFacts(
  { title = '', text = '', body = '' }: MessageConfig & { readonly body?: string | undefined },
  { labels = {}, engine, values = {} }: AddedByMonitor,
): NamedFacts {
  const fields = [textTemplate(title), textTemplate(text), bodyTemplate(body)].flatMap((one) => [...fieldsNamed(one)])
  const typed = fieldsAlone(bodyTemplate(body))
  let room = SERVICE_TABLE.custom.limit.most
  const kept = (name: string, value: Json): Json => {
    const { length } = JSON.stringify(value)
    if (length <= LONGEST_VALUE) return value
    if (!typed.has(name) || length > room) return beginning(typeof value === 'string' ? value : showValue(value))
    room -= length
    return value
  }
  const read = [...new Set(fields)].flatMap((name): [string, Json][] => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value === undefined ? [] : [[name, kept(name, value)]]
  })
  return { labels, ...(engine && { engine }), ...(read.length > 0 && { values: Object.fromEntries(read) }) }
}
