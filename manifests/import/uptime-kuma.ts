import {
  headersOf,
  type Imported,
  type ImportedMonitor,
  isObject,
  isSet,
  labelsOf,
  literal,
  nameOf,
  type OtherTool,
  parsed,
  requestOf,
  textOf,
  textsOf,
  type Values,
} from './imported.ts'
import { hasOwnWords, uptimeKumaDestinations } from './uptime-kuma-destinations.ts'

const LEAST_SECONDS = 60
/** What a monitor accepts unless somebody sets something else. */
const ACCEPTED = '200-299'
/** The type of a body, by what the tool calls it. */
const BODY_TYPES: Readonly<Record<string, string>> = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
  xml: 'text/xml; charset=utf-8',
}
const WITHOUT: Readonly<Record<string, string>> = {
  basic_auth_user: 'a sign-in with its requests',
  expectedValue: 'an expected value',
  expiryNotification: 'a notification before the certificate expires',
  invertKeyword: 'a keyword that has to be absent',
  ignoreTls: 'ignored faults of certificates',
  proxyId: 'a proxy of its own',
  resendInterval: 'a notification that is repeated',
  upsideDown: 'the reversed mode',
}

/** Uptime Kuma. */
export const UPTIME_KUMA: OtherTool = {
  what: 'a backup as JSON, with monitorList',
  isOf: ([value]) => monitorsIn(value) !== null,
  read: ([value]) => importUptimeKuma(value),
}

/** Returns the monitors of a backup, which has a list, or of the messages to its pages, which have a map. */
function monitorsIn(value: unknown): readonly unknown[] | null {
  const list = isObject(value) ? value['monitorList'] : null
  return Array.isArray(list) ? list : isObject(list) ? Object.values(list) : null
}

function importUptimeKuma(value: unknown): Imported {
  const monitors = monitorsIn(value) ?? []
  const report = ['A monitor fails, and its destinations are told, after five failed checks in a row']
  const destinations = notificationsOf(isObject(value) ? value['notificationList'] : undefined, report)
  const read = monitors.flatMap((one, place) => {
    if (isObject(one)) return monitorOf(one, { destinations, report }) ?? []
    report.push(`monitorList[${place}]: is no monitor, so it is left out`)
    return []
  })
  return { found: monitors.length, monitors: read, report }
}

/** A notification by its id, or the name of a service that has no equivalent. */
type Destinations = ReadonlyMap<string, readonly object[] | string>

interface Reading {
  readonly destinations: Destinations
  readonly report: string[]
}

function monitorOf(one: Values, { destinations, report }: Reading): ImportedMonitor | null {
  const type = textOf(one['type'])
  const name = nameOf(textOf(one['name']) || textOf(one['url']))
  const miss = (what: string) => void report.push(`${name}: ${what}: no equivalent`)
  const watched = watchedOf(type, one)
  if (!watched) {
    miss(`the type ${type}, so it is left out`)
    return null
  }
  for (const [key, what] of Object.entries(WITHOUT)) if (isSet(one[key]) && one[key] !== 0) miss(what)
  // A sign-in without a user's name has a type.
  if (isSet(one['authMethod']) && !isSet(one['basic_auth_user'])) miss(WITHOUT['basic_auth_user'] ?? '')
  const accepted = textsOf(one['accepted_statuscodes']).filter((codes) => codes !== ACCEPTED)
  if (accepted.length > 0) miss(`the status ${accepted.join(', ')} as a success`)
  const seconds = Number(one['interval']) || LEAST_SECONDS
  if (seconds < LEAST_SECONDS) report.push(`${name}: an interval of ${seconds} seconds is raised to ${LEAST_SECONDS}`)
  return {
    id: String(one['id']),
    isPaused: one['active'] === false || one['active'] === 0,
    body: {
      name,
      url: textOf(one['url']),
      schedule_interval_seconds: Math.max(LEAST_SECONDS, seconds),
      ...watched,
      notify_on: ['failing', 'recovered'],
      ...sentOf(one, miss),
      deliveries: notifiedBy(one['notificationIDList']).flatMap((id) => {
        const known = destinations.get(id) ?? []
        if (typeof known === 'string') miss(`a notification by ${known}`)
        return typeof known === 'string' ? [] : known
      }),
      labels: labelsOf(
        (Array.isArray(one['tags']) ? one['tags'] : [])
          .filter(isObject)
          .map(({ name: tag, value }) => [textOf(tag), textOf(value)] as const),
      ),
    },
  }
}

/** A backup has a map of ids, and clients of the tool write a list. */
const notifiedBy = (ids: unknown): readonly string[] =>
  Array.isArray(ids)
    ? ids.map(String)
    : Object.entries(isObject(ids) ? ids : {}).flatMap(([id, isOn]) => (isOn === true ? [id] : []))

/** Returns what is sent. A body has the type that the tool sends with it. */
function sentOf(one: Values, miss: (what: string) => void): object {
  const body = textOf(one['body'])
  const headers = headersOf(parsed(one['headers']), miss)
  const isTyped = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'content-type')
  const type = body === '' || isTyped ? undefined : BODY_TYPES[textOf(one['httpBodyEncoding']) || 'json']
  return {
    request_headers: type === undefined ? headers : { 'Content-Type': type, ...headers },
    request_config: requestOf(textOf(one['method']), body, miss),
  }
}

/** Returns what is read and when it fires; null for a type that no monitor can have. */
function watchedOf(type: string, one: Values): object | null {
  const field = (method: string, rule: string) => ({
    extract_config: { method, fields: { value: rule } },
    diff_predicate: { type: 'field_changes', field: 'value' },
  })
  switch (type) {
    case 'http':
      // Only the notices matter: no hash of a page equals this text, so that no change of the page is reported.
      return {
        extract_config: { method: 'full_page' },
        diff_predicate: { type: 'field_equals', field: 'content_hash', value: 'only whether the page can be read' },
      }
    case 'keyword':
      return field('regex', literal(textOf(one['keyword'])))
    case 'json-query': {
      const path = textOf(one['jsonPath'])
      // The expressions are of JSONata. Plain paths mean the same in JSONPath.
      if (!/^[\w.$[\]]+$/.test(path)) return null
      return field('json_path', path.startsWith('$') ? path : `$.${path}`)
    }
    default:
      return null
  }
}

function notificationsOf(list: unknown, report: string[]): Destinations {
  const found = new Map<string, readonly object[] | string>()
  for (const one of Array.isArray(list) ? list.filter(isObject) : []) {
    const config = parsed(one['config'])
    const settings = isObject(config) ? config : {}
    if (hasOwnWords(settings))
      report.push(`${nameOf(textOf(one['name']))}: its own words, of up and down: no equivalent`)
    found.set(String(one['id']), uptimeKumaDestinations(settings) ?? (textOf(settings['type']) || 'an unknown service'))
  }
  return found
}
