import Type, { type Static } from 'typebox'
import type { MonitorKind } from '../resource-kind.ts'
import { Closed, RuledText, Text } from '../shape/shape.ts'

/** The most characters of each part of a message in a user's own words. */
export const MESSAGE_LIMITS = { title: 200, text: 4_000, body: 20_000 } as const

const NAMED = 'Names in `{{…}}` are replaced by their values.'

/** A message in a user's own words. */
export const MessageConfig = Closed(
  {
    title: Type.Optional(Text(1, MESSAGE_LIMITS.title, `The headline, as plain text. ${NAMED}`)),
    text: Type.Optional(Text(1, MESSAGE_LIMITS.text, `What stands below it, in the markup of the service. ${NAMED}`)),
  },
  { description: 'Beyond the contract: what messages for people say.', rules: ['message_names'] },
)
export type MessageConfig = Static<typeof MessageConfig>

/** The body of a request of the service `custom`. */
export const RequestBody = RuledText(
  MESSAGE_LIMITS.body,
  ['body_names'],
  `Beyond the contract: the body that the service custom sends. ${NAMED} In JSON only in strings; a string that is ` +
    'one name becomes the value.',
)

export const BODY_METHODS = ['POST', 'PUT'] as const

/** A name that a message may have. `of`: only monitors of this kind have it. */
interface MessageName {
  readonly of?: MonitorKind
  readonly what: string
}

/** Every name of a message. `*` stands for a name that the user has chosen: of a label or of a field. */
export const MESSAGE_NAMES = {
  'monitor.name': { what: 'The name of the monitor.' },
  'monitor.id': { what: 'The id of the monitor.' },
  'monitor.url': { what: 'The address of the page, or that of the search at its engine.' },
  'monitor.labels.*': { what: 'The value of a label.' },
  'fields.*.before': { of: 'page', what: 'The value of a field before.' },
  'fields.*.after': { of: 'page', what: 'The value of a field now.' },
  'fields.*.change': { of: 'page', what: 'How far a number moved.' },
  'lists.*.added': { of: 'page', what: 'The items that a list has gained.' },
  'lists.*.removed': { of: 'page', what: 'The items that a list has lost.' },
  'lists.*.moved': { of: 'page', what: 'The items of a list that changed places.' },
  changes: { what: 'The changes as every message tells them.' },
  'text.excerpt': { of: 'page', what: 'The lines of a page that were added and removed.' },
  'visual.change_pct': { of: 'page', what: 'How much of the picture changed, in percent.' },
  'serp.keyword': { of: 'serp', what: 'What is searched for.' },
  'serp.engine': { of: 'serp', what: 'The search engine.' },
  'serp.rank': { of: 'serp', what: 'The rank of the target now.' },
  'serp.previous_rank': { of: 'serp', what: 'The rank of the target before.' },
  'serp.rank_delta': { of: 'serp', what: 'How far the rank moved: positive is better.' },
  'serp.added': { of: 'serp', what: 'The results that are new.' },
  'serp.removed': { of: 'serp', what: 'The results that are gone.' },
  'run.id': { what: 'The id of the run.' },
  'run.url': { what: 'The page of the run in the dashboard.' },
  fired_at: { what: 'When the run fired.' },
} as const satisfies Readonly<Record<string, MessageName>>
