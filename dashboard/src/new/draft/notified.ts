import type { DeliveryConfig } from '../../api/types.ts'
import type { Draft } from './draft.ts'

/** What messages say, and when they are sent: of one destination, or of all. */
export interface Telling {
  readonly message?: DeliveryConfig['message'] | null
  readonly digest?: DeliveryConfig['digest'] | null
  readonly quiet_hours?: DeliveryConfig['quiet_hours'] | null
}

/** Settings of `Telling`, of which an undefined one is no longer set. */
export type TellingChange = { readonly [Key in keyof Telling]: Telling[Key] | undefined }

/** Who is notified, and how: a part of a monitor of any kind. */
export interface Notified extends Telling {
  readonly deliveries: readonly DeliveryConfig[]
}

/** Returns something with other settings, and without those that are undefined. */
export const withTelling = <T extends Telling>(of: T, change: TellingChange): T =>
  Object.fromEntries(Object.entries({ ...of, ...change }).filter(([, value]) => value !== undefined)) as T

/** Returns who is notified of the changes of a draft. */
export const notifiedOf = ({ deliveries, more }: Draft): Notified => ({
  deliveries,
  ...(more.message && { message: more.message }),
  ...(more.digest && { digest: more.digest }),
  ...(more.quiet_hours && { quiet_hours: more.quiet_hours }),
})

/** Returns the draft with others who are notified. */
export function withNotified(draft: Draft, { deliveries, message, digest, quiet_hours: hours }: Notified): Draft {
  return { ...draft, deliveries, more: withTelling(draft.more, { message, digest, quiet_hours: hours }) }
}
