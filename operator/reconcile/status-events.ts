import type { Happening } from '../cluster/event-recorder.ts'
import type { Condition, ResourceStatus } from './custom-resource.ts'
import { failureText } from './status.ts'

/** Returns what the Events of a resource tell about its new status: the changes since the status before. */
export function happeningsBetween(before: ResourceStatus | undefined, now: ResourceStatus): readonly Happening[] {
  return [
    ...healthEvents(before, now),
    ...matchEvents(before?.values ?? {}, now.values ?? {}),
    ...deliveryEvents(before?.failedDestinations ?? [], now.failedDestinations ?? []),
  ]
}

const conditionIn = (status: ResourceStatus | undefined, type: string) =>
  status?.conditions?.find((condition) => condition.type === type)

/** The state of a new resource. It is no change. */
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

type Failed = NonNullable<ResourceStatus['failedDestinations']>

/** One for each destination that gives up, and one for each that takes messages again or is gone. */
function deliveryEvents(before: Failed, now: Failed): readonly Happening[] {
  const isIn = (all: Failed, { path, since }: Failed[number]) =>
    all.some((other) => other.path === path && other.since === since)
  return [
    ...now
      .filter((one) => !isIn(before, one))
      .map(
        (one) => ({ type: 'Warning', reason: 'DeliveryGivenUp', action: 'Deliver', note: failureText(one) }) as const,
      ),
    ...before
      .filter(({ path }) => !now.some((other) => other.path === path))
      .map(({ path }) => {
        const note = `The destination ${path} refuses no messages any more.`
        return { type: 'Normal', reason: 'DeliveryResumed', action: 'Deliver', note } as const
      }),
  ]
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
