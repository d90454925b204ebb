import type { EventName, EventOf } from '../../schema/overview/event.ts'

/** Where a stream is: after which event of which feed, and the clock of the store then, in milliseconds. */
export interface EventCursor {
  readonly feed: string
  readonly seq: number
  readonly at: number
}

/** Returns the id that a client names to go on behind it. */
export const idOf = ({ feed, seq, at }: EventCursor): string => `${feed}.${seq}.${at}`

const ID = /^([0-9a-z]{1,20})\.(\d{1,15})\.(\d{1,15})$/

/** Reads the id that a client names. Null: it is none of ours. */
export function readId(text: string): EventCursor | null {
  const [, feed, seq, at] = ID.exec(text) ?? []
  return feed === undefined ? null : { feed, seq: Number(seq), at: Number(at) }
}

/** Returns an event as it is sent. What it has is one line, because JSON has no line breaks. */
export const eventText = <Name extends EventName>(name: Name, id: string, data: EventOf<Name>): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Returns what tells a client where it is, without an event. The comment keeps proxies from ending the connection. */
export const placeText = (id: string): string => `: here\nid: ${id}\n\n`
