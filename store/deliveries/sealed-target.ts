import { hoursOf, type HeldByMonitor } from '../../core/hold/held-until.ts'
import { showValue } from '../../core/text/show-value.ts'
import { bodyTemplate, fieldsNamed, textTemplate } from '../../schema/message/message-template.ts'
import type { MessageConfig } from '../../schema/message/message.ts'
import { canCollect, type DeliveryConfig, isForPeople } from '../../schema/monitor/delivery-config.ts'
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

/** A message shows the beginning of a long value. */
const LONGEST_VALUE = 2_000
const beginning = (text: string) =>
  text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE).toWellFormed()}…`

function namedFacts(
  { title = '', text = '', body = '' }: MessageConfig & { readonly body?: string | undefined },
  { labels = {}, engine, values = {} }: AddedByMonitor,
): NamedFacts {
  const fields = [textTemplate(title), textTemplate(text), bodyTemplate(body)].flatMap(fieldsNamed)
  const read = fields.flatMap((name): [string, Json][] => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) return []
    if (typeof value === 'string') return [[name, beginning(value)]]
    return [[name, JSON.stringify(value).length > LONGEST_VALUE ? beginning(showValue(value)) : value]]
  })
  return { labels, ...(engine && { engine }), ...(read.length > 0 && { values: Object.fromEntries(read) }) }
}
