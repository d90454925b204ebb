import {
  headersOf,
  type Imported,
  type ImportedMonitor,
  isObject,
  isSet,
  labelsNamed,
  literal,
  nameOf,
  requestOf,
  textOf,
  type Values,
} from './imported.ts'

const LEAST_SECONDS = 60
const WITHOUT: Readonly<Record<string, string>> = {
  authMethod: 'a sign-in with its requests',
  ignoreTls: 'ignored faults of certificates',
  proxyId: 'a proxy of its own',
  upsideDown: 'the reversed mode',
}

/** Returns the monitors of a backup of Uptime Kuma, as JSON. Null: it is none. */
export function importUptimeKuma(value: unknown): Imported | null {
  const list = isObject(value) ? value['monitorList'] : null
  // A backup has a list, and the messages to its pages have a map.
  const monitors = Array.isArray(list) ? list : isObject(list) ? Object.values(list) : null
  if (!isObject(value) || !monitors) return null
  const report = ['A monitor fails, and its destinations are told, after five failed checks in a row']
  const destinations = notificationsOf(value['notificationList'])
  return {
    monitors: monitors.filter(isObject).flatMap((one) => monitorOf(one, { destinations, report }) ?? []),
    report,
  }
}

/** A notification by its id, or the name of a service that has no equivalent. */
type Destinations = ReadonlyMap<string, object | string>

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
    if (type !== 'group') miss(`the type ${type}, so it is left out`)
    return null
  }
  for (const [key, what] of Object.entries(WITHOUT)) if (isSet(one[key])) miss(what)
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
      request_headers: headersOf(parsed(one['headers']), miss),
      request_config: requestOf(textOf(one['method']), textOf(one['body']), miss),
      deliveries: Object.entries(isObject(one['notificationIDList']) ? one['notificationIDList'] : {}).flatMap(
        ([id, isOn]) => {
          const destination = isOn === true ? destinations.get(id) : undefined
          if (typeof destination === 'string') miss(`a notification by ${destination}`)
          return typeof destination === 'object' ? [destination] : []
        },
      ),
      labels: labelsNamed(
        (Array.isArray(one['tags']) ? one['tags'] : []).filter(isObject).map(({ name: tag }) => textOf(tag)),
      ),
    },
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
      // Only the notices matter: no hash of a page equals this text, so that a change of the page is not told.
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

function notificationsOf(list: unknown): Destinations {
  const found = new Map<string, object | string>()
  for (const one of Array.isArray(list) ? list.filter(isObject) : []) {
    const config = parsed(one['config'])
    const settings = isObject(config) ? config : {}
    found.set(String(one['id']), destinationOf(settings) ?? (textOf(settings['type']) || 'an unknown service'))
  }
  return found
}

function destinationOf(settings: Values): object | null {
  switch (settings['type']) {
    case 'discord':
      return { type: 'discord', webhookUrl: textOf(settings['discordWebhookUrl']) }
    case 'slack':
      return { type: 'slack', webhookUrl: textOf(settings['slackwebhookURL']) }
    case 'webhook':
      return { type: 'webhook', url: textOf(settings['webhookURL']) }
    case 'smtp':
      return { type: 'email', to: textOf(settings['smtpTo']).split(',')[0] ?? '' }
    default:
      return null
  }
}

/** Returns the value of a JSON text; anything else as it is. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return null
  }
}
