import ICAL from 'ical.js'
import type { Json } from '../../../../schema/shape/json.ts'
import { decode } from '../../text/charset.ts'
import type { ReceivedFile } from '../document-kind.ts'
import { DOCUMENT_LIMITS } from '../document-limits.ts'
import { htmlLink, htmlText } from '../html-text.ts'
import type { OpenedDocument } from '../opened-document.ts'
import { damaged, RefusedDocument, tooMany } from '../refused-document.ts'
import { type EventTime, eventTime } from './event-time.ts'

/** An event, as the file has it: one that repeats stands once, with its rule. */
interface CalendarEvent {
  readonly uid: string | null
  readonly start: EventTime | null
  readonly end: EventTime | null
  readonly texts: Readonly<Record<Named, string | null>>
  readonly repeat: string | null
  /** Of a repeat, the one that this event stands in for. */
  readonly replaces: EventTime | null
  /** Of a repeat, the ones that do not take place. */
  readonly except: readonly EventTime[]
  /** The ones that its rule does not give. */
  readonly also: readonly EventTime[]
}

const NAMED = ['summary', 'location', 'description', 'status', 'url'] as const
type Named = (typeof NAMED)[number]

/** Components inside each other. A calendar needs three. */
const DEPTH = 20

/** Reads the events of a calendar. What changes at each request, such as DTSTAMP, is left out. */
export function readCalendar({ body, contentType }: ReceivedFile): OpenedDocument {
  const { text, warnings } = decode(unfolded(body), contentType, 'text')
  judgeSize(text)
  const calendars = componentsOf(text)
  const events: CalendarEvent[] = []
  for (const calendar of calendars) {
    // Zones belong to their calendar.
    const zones = new Map(
      calendar
        .getAllSubcomponents('vtimezone')
        .map((component) => [textOf(component, 'tzid') ?? '', zoneOf(component)] as const),
    )
    for (const component of calendar.getAllSubcomponents('vevent')) events.push(eventOf(component, zones))
  }
  return { html: () => events.map(articleOf).join('\n'), json: () => ({ events: events.map(eventJson) }), warnings }
}

/** Joins folded lines before they are decoded, because a program may fold one within a character of UTF-8. */
function unfolded(body: Uint8Array): Uint8Array {
  // In UTF-16, the bytes of a line's end may be another character.
  if ((body[0] ?? 0) >= 0xfe) return body
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return Buffer.from(bytes.toString('latin1').replace(/\r?\n[ \t]/g, ''), 'latin1')
}

/** The library reads the first date of a list alone. */
function zoneOf(component: ICAL.Component): ICAL.Timezone {
  for (const rules of component.getAllSubcomponents())
    for (const list of rules.getAllProperties('rdate')) divide(rules, list)
  return new ICAL.Timezone(component)
}

function divide(rules: ICAL.Component, list: ICAL.Property): void {
  const dates: readonly unknown[] = list.getValues()
  rules.removeProperty(list)
  for (const date of dates) if (date instanceof ICAL.Time) rules.addPropertyWithValue('rdate', date)
}

function judgeSize(text: string): void {
  let depth = 0
  let events = 0
  for (const [, side = '', name = ''] of text.matchAll(/^(BEGIN|END):\s*([\w-]+)/gim)) {
    depth += side.toUpperCase() === 'BEGIN' ? 1 : -1
    if (depth > DEPTH) throw new RefusedDocument('too_complex', 'The calendar is nested too deeply to be read.')
    if (side.toUpperCase() === 'BEGIN' && name.toUpperCase() === 'VEVENT') events += 1
    if (events > DOCUMENT_LIMITS.events) throw tooMany('events')
  }
  if (depth !== 0) throw damaged('the calendar has no end, as one that was not received whole')
}

function componentsOf(text: string): ICAL.Component[] {
  try {
    const parsed: unknown = ICAL.parse(text)
    const several = Array.isArray(parsed) && Array.isArray(parsed[0]) ? parsed : [parsed]
    return several.filter((one): one is unknown[] => Array.isArray(one)).map((one) => new ICAL.Component(one))
  } catch (error) {
    throw faultOf(error)
  }
}

const faultOf = (error: unknown) =>
  error instanceof RangeError || !(error instanceof Error)
    ? error
    : damaged(`the calendar cannot be read (${error.message.replaceAll(/\s+/g, ' ').slice(0, 200)})`)

type Zones = ReadonlyMap<string, ICAL.Timezone>

function eventOf(component: ICAL.Component, zones: Zones): CalendarEvent {
  try {
    const start = timeOf(component, 'dtstart', zones)
    return {
      uid: textOf(component, 'uid'),
      start: start && eventTime(start.time, start.zone),
      end: endOf(component, zones, start),
      texts: {
        summary: textOf(component, 'summary'),
        location: textOf(component, 'location'),
        description: textOf(component, 'description'),
        status: textOf(component, 'status'),
        url: textOf(component, 'url'),
      },
      repeat:
        component
          .getAllProperties('rrule')
          .map((rule) => String(rule.getFirstValue()))
          .join('\n') || null,
      replaces: placeOf(timeOf(component, 'recurrence-id', zones)),
      except: timesOf(component, 'exdate', zones),
      also: timesOf(component, 'rdate', zones),
    }
  } catch (error) {
    throw faultOf(error)
  }
}

interface Written {
  readonly time: ICAL.Time
  readonly zone: string | null
}

const placeOf = (written: Written | null) => written && eventTime(written.time, written.zone)

function timeOf(component: ICAL.Component, name: string, zones: Zones): Written | null {
  const property = component.getFirstProperty(name)
  return property && writtenIn(property, property.getFirstValue(), zones)
}

/** In the order of time, because programs write the same list in several ones. */
function timesOf(component: ICAL.Component, name: string, zones: Zones): EventTime[] {
  return component
    .getAllProperties(name)
    .flatMap((property) => {
      const values: readonly unknown[] = property.getValues()
      return values.flatMap(
        (value) => writtenIn(property, value instanceof ICAL.Period ? value.start : value, zones) ?? [],
      )
    })
    .map(({ time, zone }) => eventTime(time, zone))
    .toSorted((one, other) => (one.utc < other.utc ? -1 : 1))
}

function writtenIn(property: ICAL.Property, value: unknown, zones: Zones): Written | null {
  if (!(value instanceof ICAL.Time)) return null
  const zone: unknown = property.getParameter('tzid')
  const named = typeof zone === 'string' && zone !== '' ? zone : null
  const time = value.clone()
  const described = named === null ? undefined : zones.get(named)
  if (described) time.zone = described
  return { time, zone: named }
}

function endOf(component: ICAL.Component, zones: Zones, start: Written | null): EventTime | null {
  const end = timeOf(component, 'dtend', zones)
  if (end) return eventTime(end.time, end.zone)
  const length: unknown = component.getFirstPropertyValue('duration')
  if (!start || !(length instanceof ICAL.Duration)) return null
  const time = start.time.clone()
  time.addDuration(length)
  return eventTime(time, start.zone)
}

function textOf(component: ICAL.Component, name: string): string | null {
  const value: unknown = component.getFirstPropertyValue(name)
  return typeof value === 'string' && value !== '' ? value : null
}

function eventJson({ uid, start, end, texts, repeat, replaces, except, also }: CalendarEvent): Json {
  return {
    uid,
    start: start?.utc ?? null,
    end: end?.utc ?? null,
    all_day: start?.isDay ?? false,
    shown: shownTime(start, end),
    ...texts,
    repeat,
    ...(replaces && { replaces: replaces.utc }),
    ...(except.length > 0 && { except: except.map(({ utc }) => utc) }),
    ...(also.length > 0 && { also: also.map(({ utc }) => utc) }),
  }
}

const shownTime = (start: EventTime | null, end: EventTime | null) =>
  start && (end && end.shown !== start.shown ? `${start.shown} – ${end.shown}` : start.shown)

function articleOf({ uid, start, end, texts, repeat, replaces, except, also }: CalendarEvent): string {
  const { summary, location, description, status, url } = texts
  const part = (name: string, text: string | null) =>
    text === null ? '' : `\n<p class="${name}">${htmlText(text)}</p>`
  const time = (name: string, at: EventTime | null) =>
    at === null ? '' : `<time class="${name}" datetime="${htmlText(at.utc)}">${htmlText(at.shown)}</time>`
  const times = [time('start', start), time('end', end)].filter((text) => text !== '').join(' – ')
  return [
    `<article data-uid="${htmlText(uid ?? '')}"${replaces ? ` data-replaces="${htmlText(replaces.utc)}"` : ''}>`,
    summary === null ? '' : `\n<h2>${htmlText(summary)}</h2>`,
    times === '' ? '' : `\n<p>${times}</p>`,
    part('location', location),
    part('repeat', repeat),
    ...except.map((at) => `\n<p>${time('except', at)}</p>`),
    ...also.map((at) => `\n<p>${time('also', at)}</p>`),
    part('status', status),
    part('description', description),
    url === null ? '' : `\n<p>${htmlLink(url, url)}</p>`,
    '\n</article>',
  ].join('')
}
