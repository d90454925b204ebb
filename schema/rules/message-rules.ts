import { bodyIssues, messageIssues } from '../message/message-issues.ts'
import type { MessageConfig } from '../message/message.ts'
import type { NamedBy } from '../message/name-faults.ts'
import { type ExtractConfig, fieldNames } from '../monitor/extract-config.ts'
import { type Issue, joinPath } from '../validation/issue.ts'
import { rule, type Rule } from './rule.ts'

/** CEL has no loop that could read the names. The operator applies `check`. */
const cel = null

export const MESSAGE_NAMES: Rule<MessageConfig> = {
  name: 'message_names',
  message: 'a message has a name in {{…}} that no message can have',
  cel,
  accepts: [{}, { title: '{{monitor.name}}', text: '{{monitor.labels["a b"]}} {{changes}}' }],
  rejects: [{ title: '{{monitor.nam}}' }, { text: '{{fields.price' }, { text: '{{fields.the price.after}}' }],
  check: (message) => messageIssues(message, null),
}

export const BODY_NAMES: Rule<string> = {
  name: 'body_names',
  message: 'a body has a name in {{…}} that no message can have',
  cel,
  accepts: ['{"a": "{{monitor.name}}"}', 'name={{monitor.name}}'],
  rejects: ['{"a": "{{fields.price.later}}"}', '{{'],
  check: (body) => bodyIssues(body, null),
}

/** A monitor or a destination, as far as the rules of messages look at it. */
interface Worded {
  readonly message?: MessageConfig | null | undefined
  readonly body?: string
}

interface WordedMonitor extends Worded {
  readonly deliveries?: readonly Worded[] | undefined
}

const under = (path: string, issues: readonly Issue[]): readonly Issue[] =>
  issues.map(({ path: inner, message }) => ({ path: inner === '' ? path : joinPath(path, inner), message }))

function namesOf({ message, deliveries = [] }: WordedMonitor, by: NamedBy): readonly Issue[] {
  return [
    ...(message ? under('message', messageIssues(message, by)) : []),
    ...deliveries.flatMap(({ message: own, body }, index) => [
      ...(own ? under(`deliveries[${index}].message`, messageIssues(own, by)) : []),
      ...(body === undefined ? [] : under(`deliveries[${index}].body`, bodyIssues(body, by))),
    ]),
  ]
}

const page = (text: string): WordedMonitor & { readonly extract_config: ExtractConfig } => ({
  extract_config: { method: 'css', fields: { price: '.price' } },
  message: { text },
})

/** A message names fields of its monitor only. */
export const PAGE_NAMES: Rule<WordedMonitor & { readonly extract_config: ExtractConfig }> = {
  name: 'page_names',
  message: 'a message names a field that extract_config does not define, or what only searches have',
  cel,
  accepts: [page('{{fields.price.after}}')],
  rejects: [page('{{fields.stock.after}}'), page('{{serp.rank}}')],
  check: ({ message, deliveries, extract_config }) =>
    namesOf({ message, deliveries }, { kind: 'page', fields: fieldNames(extract_config) }),
}

export const SEARCH_NAMES: Rule<WordedMonitor> = {
  name: 'search_names',
  message: 'a message names what only monitors of pages have',
  cel,
  accepts: [{ message: { text: '{{serp.rank}}' } }, {}],
  rejects: [{ message: { text: '{{fields.price.after}}' } }, { deliveries: [{ body: '{{text.excerpt}}' }] }],
  check: ({ message, deliveries }) => namesOf({ message, deliveries }, { kind: 'serp', fields: [] }),
}

/** A destination, as far as these rules look at it. */
interface Destination extends Worded {
  readonly type: string
  readonly service?: string
  readonly method?: string
}

const hook = (rest: object): Destination => ({ type: 'webhook', ...rest })

/** A plain webhook gets the payload, and so does a program that reads CloudEvents. */
export const MESSAGE_FOR_PEOPLE = rule<Destination>({
  name: 'message_for_people',
  message:
    'a plain webhook and the service cloudevents send the payload, and no message: name a service that sends one',
  cel: "!has(self.message) || self.type != 'webhook' || (has(self.service) && self.service != 'cloudevents')",
  accepts: [
    hook({}),
    hook({ service: 'teams', message: { text: 'a' } }),
    { type: 'slack', message: { text: 'a' } },
    hook({ service: 'custom', message: {} }),
  ],
  rejects: [hook({ message: { text: 'a' } }), hook({ service: 'cloudevents', message: {} })],
  between: () => ['message'],
  holds: ({ type, service, message }) =>
    message === undefined || type !== 'webhook' || (service !== undefined && service !== 'cloudevents'),
})

export const BODY_OF_CUSTOM = rule<Destination>({
  name: 'body_of_custom',
  message: 'body and method need the service custom',
  cel:
    '(!has(self.body) && !has(self.bodyFrom) && !has(self.method)) || ' +
    "(has(self.service) && self.service == 'custom')",
  accepts: [hook({}), hook({ service: 'custom', body: 'a', method: 'PUT' }), hook({ service: 'custom' })],
  rejects: [hook({ body: 'a' }), hook({ service: 'teams', method: 'POST' })],
  between: ({ body }) => [body === undefined ? 'method' : 'body'],
  holds: ({ service, body, method }) => (body === undefined && method === undefined) || service === 'custom',
})
