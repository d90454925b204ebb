import { type Offer, offeredBy } from './offers.ts'
import { ofKind, type StatedThings } from './stated-things.ts'
import { lastWord, nameOfThing, textOfThing, type Thing } from './thing.ts'

/** An event, as a page states it. What it does not say is null. */
type StatedEvent = {
  readonly name: string | null
  /** As written. */
  readonly start: string | null
  readonly end: string | null
  /** The last word of its name in schema.org: `EventCancelled`. */
  readonly status: string | null
  readonly location: string | null
  readonly organizer: string | null
  readonly url: string | null
  readonly offers: readonly Offer[]
}

/** Returns whether a type of schema.org is that of an event. */
export const isEvent = (type: string) => type.endsWith('Event') || type === 'Festival' || type === 'Hackathon'

/** Returns the first event that a page states; null: there is none. */
export function statedEvent({ jsonLd, microdata }: StatedThings): StatedEvent | null {
  const [thing] = [...ofKind(jsonLd, isEvent), ...ofKind(microdata, isEvent)]
  if (thing === undefined) return null
  const status = nameOrId(thing, 'eventStatus')
  return {
    name: textOfThing(thing, 'name'),
    start: textOfThing(thing, 'startDate'),
    end: textOfThing(thing, 'endDate'),
    status: status && lastWord(status),
    location: nameOfThing(thing, 'location'),
    organizer: nameOfThing(thing, 'organizer'),
    url: textOfThing(thing, 'url'),
    offers: offeredBy(thing).offers,
  }
}

function nameOrId(thing: Thing, property: string): string | null {
  const [first] = thing.all(property)
  return first === undefined || typeof first === 'string' ? (first ?? null) : first.id
}
