import type { DeliveryService } from '../monitor/delivery-service.ts'
import { isServiceName, OPTION_LIMITS, SERVICE_NAMES, SERVICE_TABLE } from '../monitor/delivery-services.ts'
import { closestKey, didYouMean } from '../validation/issue.ts'
import { keyPath, keyRule, type Rule, rule } from './rule.ts'

/** A destination, as far as the rules of services look at it. */
interface Destination {
  readonly type: string
  readonly service?: string
  readonly options?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

const serviceOf = ({ service }: Destination) =>
  service !== undefined && isServiceName(service) ? SERVICE_TABLE[service] : null
const hook = (rest: object): Destination => ({ type: 'webhook', ...rest })

/** Literals of CEL. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
const list = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`
const byService = (namesOf: (options: DeliveryService['options']) => string[]) =>
  `{${SERVICE_NAMES.map((name) => `${quoted(name)}: ${list(namesOf(SERVICE_TABLE[name].options))}`).join(', ')}}`
const needed = (options: DeliveryService['options']) =>
  Object.keys(options).filter((key) => options[key]?.isNeeded === true)

const NAME_LENGTH = `1-${OPTION_LIMITS.key}`
export const OPTION_NAMES = keyRule<string>({
  name: 'option_names',
  message: `the name of an option has ${NAME_LENGTH} characters`,
  cel: `self.all(name, name.size() >= 1 && name.size() <= ${OPTION_LIMITS.key})`,
  accepts: [{}],
  rejects: [{ '': 'a' }, { ['a'.repeat(OPTION_LIMITS.key + 1)]: 'a' }],
  json: { propertyNames: { minLength: 1, maxLength: OPTION_LIMITS.key } },
  holds: (name) => new RegExp(`^[^]{${NAME_LENGTH.replace('-', ',')}}$`, 'u').test(name),
})

export const OPTIONS_OF_SERVICE = rule<Destination>({
  name: 'options_of_service',
  message: 'options need a service',
  cel:
    'has(self.service) || ((!has(self.options) || self.options.size() == 0) && ' +
    '(!has(self.optionsFrom) || self.optionsFrom.size() == 0))',
  accepts: [hook({}), hook({ service: 'telegram', options: { chat_id: '1' } })],
  rejects: [hook({ options: { chat_id: '1' } })],
  between: () => ['options'],
  holds: ({ service, options = {} }) => service !== undefined || Object.keys(options).length === 0,
})

const KNOWN = byService(Object.keys)
export const KNOWN_OPTIONS: Rule<Destination> = {
  name: 'known_options',
  message: 'the service does not take one of these options',
  cel:
    `!has(self.service) || ((!has(self.options) || self.options.all(name, name in ${KNOWN}[self.service])) && ` +
    `(!has(self.optionsFrom) || self.optionsFrom.all(item, item.name in ${KNOWN}[self.service])))`,
  accepts: [hook({ service: 'teams' }), hook({ service: 'telegram', options: { chat_id: '1' } })],
  rejects: [
    hook({ service: 'teams', options: { chat_id: '1' } }),
    hook({ service: 'telegram', options: { chat_id: '1', room: 'a' } }),
  ],
  check(value) {
    const service = serviceOf(value)
    if (!service) return []
    const known = Object.keys(service.options)
    const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
    const unknown = Object.keys(value.options ?? {}).filter((key) => !known.includes(key))
    return unknown.map((key) => ({
      path: `options${under(key)}`,
      message: `is not an option of ${value.service}; ${takes}${didYouMean(closestKey(key, known))}`,
    }))
  },
}

export const NEEDED_OPTIONS: Rule<Destination> = {
  name: 'needed_options',
  message: 'the service needs an option that is missing',
  cel:
    `!has(self.service) || ${byService(needed)}[self.service].all(name, ` +
    '(has(self.options) && name in self.options) || ' +
    '(has(self.optionsFrom) && self.optionsFrom.exists(item, item.name == name)))',
  accepts: [hook({ service: 'telegram', options: { chat_id: '@kettle' } }), hook({ service: 'teams' })],
  rejects: [hook({ service: 'telegram' }), hook({ service: 'telegram', options: { disable_notification: 'true' } })],
  check(value) {
    const service = serviceOf(value)
    const missing = service ? needed(service.options).filter((key) => !Object.hasOwn(value.options ?? {}, key)) : []
    return missing.map((key) => ({
      path: `options${under(key)}`,
      message: `is required with service ${value.service}`,
    }))
  },
}

const patterns = SERVICE_NAMES.flatMap((name) =>
  Object.entries(SERVICE_TABLE[name].options).map(([key, { pattern }]) => ({ name, key, pattern })),
)
export const OPTION_VALUES: Rule<Destination> = {
  name: 'option_values',
  message: 'the value of an option is not one that its service takes',
  cel: `!has(self.service) || !has(self.options) || (${patterns
    .map(
      ({ name, key, pattern }) =>
        `(self.service != ${quoted(name)} || !(${quoted(key)} in self.options) || ` +
        `self.options[${quoted(key)}].matches(${quoted(pattern)}))`,
    )
    .join(' && ')})`,
  accepts: [hook({ service: 'telegram', options: { chat_id: '-100123', disable_notification: 'true' } })],
  rejects: [
    hook({ service: 'telegram', options: { chat_id: '' } }),
    hook({ service: 'telegram', options: { chat_id: '1', disable_notification: 'yes' } }),
  ],
  check(value) {
    const { options = {} } = serviceOf(value) ?? {}
    return Object.entries(value.options ?? {}).flatMap(([key, text]) => {
      const option = Object.hasOwn(options, key) ? options[key] : undefined
      if (!option || new RegExp(option.pattern, 'u').test(text)) return []
      return [{ path: `options${under(key)}`, message: `must be ${option.takes}` }]
    })
  },
}

const WITHOUT_HEADERS = SERVICE_NAMES.filter((name) => !SERVICE_TABLE[name].takesHeaders)
export const SERVICE_HEADERS = rule<Destination>({
  name: 'service_headers',
  message: `headers have no use with service ${WITHOUT_HEADERS.join(', ')}`,
  cel:
    `!has(self.service) || !(self.service in ${list(WITHOUT_HEADERS)}) || ` +
    '((!has(self.headers) || self.headers.size() == 0) && (!has(self.headersFrom) || self.headersFrom.size() == 0))',
  accepts: [hook({ service: 'teams' }), hook({ headers: { 'x-a': '1' } })],
  rejects: [hook({ service: 'teams', headers: { 'x-a': '1' } })],
  between: () => ['headers'],
  holds: (value) => serviceOf(value)?.takesHeaders !== false || Object.keys(value.headers ?? {}).length === 0,
})

const under = (key: string): string => {
  const path = keyPath(key)
  return path.startsWith('[') ? path : `.${path}`
}
