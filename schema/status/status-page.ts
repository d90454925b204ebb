import Type, { type Static } from 'typebox'
import { Closed, Instant, Nullable, RuledText, Tagged, Text, Uuid } from '../shape/shape.ts'

/** A team has at most so many status pages, whatever its plan. */
export const MAX_STATUS_PAGES = 20

/** A status page shows at most so many monitors. Of a label with more, the first ones by their names. */
export const MAX_SHOWN_MONITORS = 200

/** The most characters of the title of a status page, and of the public name of a monitor. */
export const MAX_STATUS_TITLE = 100
export const MAX_PUBLIC_NAME = 200

/** The longest last part of the address of a status page. */
export const MAX_SLUG = 64

const Slug = RuledText(
  MAX_SLUG,
  ['page_slug'],
  'The last part of the public address. Each one is of one status page of the installation. Null: a long random one, ' +
    'which nobody guesses.',
)

const ShownMonitor = Closed({
  monitor_id: Uuid('A page or a search of the team.'),
  name: RuledText(MAX_PUBLIC_NAME, ['not_blank'], 'The name that everybody sees in place of that of the monitor.'),
  show_value: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether everybody sees its value, and what the value was before a change.',
    }),
  ),
})

/** Which monitors a status page shows. */
const StatusPageShows = Tagged(
  'by',
  {
    monitors: {
      monitors: Type.Array(ShownMonitor, {
        maxItems: MAX_SHOWN_MONITORS,
        description: 'In this order. A monitor that is deleted leaves it.',
      }),
    },
    label: {
      label: RuledText(
        130,
        ['one_label'],
        'As key=value. Every monitor that has it is shown by its own name, those made or labelled later too. ' +
          `The first ${MAX_SHOWN_MONITORS} by name.`,
      ),
      show_values: Type.Optional(Type.Boolean({ default: false, description: 'Whether everybody sees their values.' })),
    },
  },
  { tagged: 'monitors: those of a list. label: those with a label.' },
)

const INDEXED = 'Whether search engines may list the page.'
const given = {
  title: RuledText(MAX_STATUS_TITLE, ['not_blank'], 'What everybody sees as the title.'),
  shows: StatusPageShows,
  indexed: Type.Boolean({ default: false, description: INDEXED }),
}

/** Body of `POST /v1/status-pages`. */
export const StatusPageCreate = Closed({
  title: given.title,
  slug: Type.Optional(Nullable(Slug, { default: null })),
  shows: given.shows,
  indexed: Type.Optional(given.indexed),
})
export type StatusPageCreate = Static<typeof StatusPageCreate>

/** Body of `PATCH /v1/status-pages/{id}`: keys that are absent stay as they are. */
export const StatusPagePatch = Closed({
  title: Type.Optional(given.title),
  slug: Type.Optional(Nullable(Slug)),
  shows: Type.Optional(given.shows),
  indexed: Type.Optional(Type.Boolean({ description: INDEXED })),
})
export type StatusPagePatch = Static<typeof StatusPagePatch>

/** A page that shows the states of some monitors to everybody. */
export const StatusPage = Closed({
  id: Uuid(),
  title: given.title,
  slug: Slug,
  url: Text(1, 2_100, 'The public address. While the page is not published, there is nothing.'),
  shows: given.shows,
  published: Type.Boolean({ description: 'Whether everybody can see it. While a trial is over, nobody can.' }),
  indexed: given.indexed,
  created_at: Instant(),
  updated_at: Instant('When it was changed, published or taken back for the last time.'),
})
export type StatusPage = Static<typeof StatusPage>
export type StatusPageShows = StatusPage['shows']

/** Body of `POST /v1/status-pages/{id}/publish`. */
export const StatusPagePublish = Closed({
  updated_at: Type.Optional(
    Instant('That of the page as it was read. A page that was changed since is not published: 409.'),
  ),
})

/** Response of `GET /v1/status-pages`. */
export const StatusPages = Closed({ data: Type.Array(StatusPage, { maxItems: MAX_STATUS_PAGES }) })
