import type { Happening } from '../cluster/event-recorder.ts'
import type { Condition, ResourceStatus } from './custom-resource.ts'
import { failureText } from './status.ts'

/** Returns what the Events of a resource tell about its new status: the changes since the status before. */
export function happeningsBetween(before: ResourceStatus | undefined, now: ResourceStatus): readonly Happening[] {
  return [
    ...healthEvents(before, now),
    ...matchEvents(before?.values ?? {}, now.values ?? {}),
    ...deliveryEvents(before?.failedDestinations ?? [], now.failedDestinations ?? []),
    ...refusalEvents(before, now),
  ]
}

const conditionIn = (status: ResourceStatus | undefined, type: string) =>
  status?.conditions?.find((condition) => condition.type === type)

/** The state of a new resource. It is not a change. */
const NEVER_RUN: Pick<Condition, 'status' | 'reason'> = { status: 'Unknown', reason: 'NeverRun' }

/** Reasons of `Healthy` = Unknown that somebody should know of. The others are what somebody chose, or a beginning. */
const UNKNOWN_BUT_WRONG: ReadonlySet<string> = new Set(['NoSuccess', 'NoRunners'])

function healthEvents(before: ResourceStatus | undefined, now: ResourceStatus): readonly Happening[] {
  const last = conditionIn(before, 'Healthy') ?? NEVER_RUN
  const healthy = conditionIn(now, 'Healthy')
  if (!healthy || (healthy.status === last.status && healthy.reason === last.reason)) return []
  const isWrong = healthy.status === 'False' || UNKNOWN_BUT_WRONG.has(healthy.reason)
  const { reason, message: note } = healthy
  return [{ type: isWrong ? 'Warning' : 'Normal', reason, action: 'Check', note }]
}

/** A resource is refused, or for another reason than before. */
function refusalEvents(before: ResourceStatus | undefined, now: ResourceStatus): readonly Happening[] {
  const last = conditionIn(before, 'Stalled')
  const stalled = conditionIn(now, 'Stalled')
  if (!stalled || (stalled.reason === last?.reason && stalled.message === last.message)) return []
  const { reason, message: note } = stalled
  return [{ type: 'Warning', reason, action: 'Apply', note }]
}

type Failed = NonNullable<ResourceStatus['failedDestinations']>

/**
 * One for each destination that gives up, and one for each that takes messages again or is gone. An edit may give a
 * destination another place, so it is known by what it is and since when it failed.
 */
function deliveryEvents(before: Failed, now: Failed): readonly Happening[] {
  const isSame = (one: Failed[number], other: Failed[number]) =>
    one.type === other.type && one.address === other.address && one.since === other.since
  return [
    ...without(now, before, isSame).map(
      (one) => ({ type: 'Warning', reason: 'DeliveryGivenUp', action: 'Deliver', note: failureText(one) }) as const,
    ),
    ...without(before, now, (one, other) => one.type === other.type && one.address === other.address).map(
      ({ path, type, address }) => {
        const destination = address === undefined ? type : `${type}, ${address}`
        const ended = 'refuses no messages any more, or is not declared any more'
        const note = `The destination that was ${path} (${destination}) ${ended}.`
        return { type: 'Normal', reason: 'DeliveryResumed', action: 'Deliver', note } as const
      },
    ),
  ]
}

/** Returns the items of one list that the other one lacks; each item of the other one stands for one of them. */
function without<T>(items: readonly T[], others: readonly T[], isSame: (one: T, other: T) => boolean): readonly T[] {
  const left = [...others]
  return items.filter((item) => {
    const place = left.findIndex((other) => isSame(item, other))
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

type ShownValues = NonNullable<ResourceStatus['values']>

/** A field that is not extracted any more has neither a match nor none. */
function matchEvents(before: ShownValues, now: ShownValues): readonly Happening[] {
  const lost = Object.keys(now).filter((name) => now[name] === null && before[name] !== null)
  const found = Object.keys(now).filter((name) => now[name] !== null && before[name] === null)
  const told = (names: readonly string[], happening: Omit<Happening, 'note' | 'action'>, text: string): Happening[] =>
    names.length === 0
      ? []
      : [{ ...happening, action: 'Check', note: `${text}: ${names.map((name) => JSON.stringify(name)).join(', ')}.` }]
  return [
    ...told(lost, { type: 'Warning', reason: 'FieldsMissing' }, 'The rules of these fields have no match'),
    ...told(found, { type: 'Normal', reason: 'FieldsFound' }, 'The rules of these fields match again'),
  ]
}
