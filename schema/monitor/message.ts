import Type, { type Static } from 'typebox'
import type { MonitorKind } from '../resource-kind.ts'
import { Choice, Closed, Text } from '../shape/shape.ts'

/** The most characters of each part of a message in a user's own words. */
const MESSAGE_LIMITS = { title: 200, text: 4_000, body: 20_000 } as const

const NAMED = 'Names in `{{…}}` are replaced by their values.'

/** A message in a user's own words. */
export const MessageConfig = Closed({
  title: Type.Optional(Text(1, MESSAGE_LIMITS.title, `The headline. ${NAMED}`)),
  text: Type.Optional(Text(1, MESSAGE_LIMITS.text, `What stands below the headline. ${NAMED}`)),
  body: Type.Optional(
    Text(
      1,
      MESSAGE_LIMITS.body,
      `The body of a request. ${NAMED} In JSON only in strings; a string that is one name becomes the value.`,
    ),
  ),
  method: Type.Optional(Choice(['POST', 'PUT'], { description: 'How the body is sent.' })),
})
export type MessageConfig = Static<typeof MessageConfig>

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
