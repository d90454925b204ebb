import type { Invalid, NotFound } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import { parseLabel } from '../schema/rules/status-rules.ts'
import {
  MAX_STATUS_PAGES,
  type StatusPageCreate,
  type StatusPagePatch,
  type StatusPageShows,
} from '../schema/status/status-page.ts'
import { joinPath } from '../schema/validation/issue.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { lockTeam } from '../store/accounts/team/team-members.ts'
import type { Transaction } from '../store/db/client.ts'
import {
  countStatusPages,
  deleteStatusPageRow,
  insertStatusPage,
  isSlugTaken,
  listOnStatusPage,
  lockStatusPage,
  numbersById,
  publishStatusPage,
  type StatusPageParts,
  type StoredStatusPage,
  updateStatusPage,
} from '../store/status/status-pages.ts'
import type { AccountContext } from './context.ts'
import { beginTeamAct, type NotAllowed, type UserRequester } from './team-act.ts'

/** The team has as many status pages as it may have. */
export interface ManyStatusPages {
  readonly kind: 'many_status_pages'
  readonly limit: number
}

/** Another status page of the installation has the slug, or the page was changed after the requester read it. */
export type PageConflict =
  | { readonly kind: 'page_conflict'; readonly why: 'slug_taken' }
  /** `path`: by what the requester has named what they read. */
  | { readonly kind: 'page_conflict'; readonly why: 'changed'; readonly path: 'updated_at' | 'If-Match' }

/** The page is published, and the requester may not decide what everybody sees. */
export interface Published {
  readonly kind: 'published'
}

interface Done {
  readonly kind: 'done'
  readonly id: string
}

/** What was done changes what everybody sees. */
interface Seen extends Done {
  /** The slugs under which the page is or was seen. None: it is and was not published. */
  readonly slugs: readonly string[]
}

interface Edit extends Requester, Tagged {
  readonly id: string
  readonly patch: StatusPagePatch
  /** Whether the requester may publish: without it, a published page stays as it is. */
  readonly mayPublish: boolean
}

interface OnePage extends Requester {
  readonly id: string
}

/** Of which version a requester knows. */
interface Tagged {
  /** Entity tags, of which the page has one, or nothing is done. Undefined: any. */
  readonly seen: readonly string[] | undefined
}

const NO_PAGE: NotFound = { kind: 'not_found', what: 'status_page' }

/** Makes a status page. Nobody but the team sees it until somebody publishes it. */
export async function createStatusPage(
  { store }: AccountContext,
  { teamId, actor, wanted }: Requester & { readonly wanted: StatusPageCreate },
): Promise<Done | Invalid | ManyStatusPages | PageConflict> {
  return store.transaction(async (tx): Promise<Done | Invalid | ManyStatusPages | PageConflict> => {
    await lockTeam(tx, teamId)
    if ((await countStatusPages(tx, teamId)) >= MAX_STATUS_PAGES)
      return { kind: 'many_status_pages', limit: MAX_STATUS_PAGES }
    const slug = wanted.slug ?? randomSlug()
    if (await isSlugTaken(tx, slug, null)) return { kind: 'page_conflict', why: 'slug_taken' }
    const listed = await listedOf(tx, teamId, wanted.shows)
    if ('kind' in listed) return listed
    const { title, indexed = false } = wanted
    const id = await insertStatusPage(tx, teamId, { slug, title, indexed, ...labelOf(wanted.shows) })
    await listOnStatusPage(tx, id, listed)
    await note(tx, { teamId, actor, action: 'created', id, title, metadata: { by: wanted.shows.by } })
    return { kind: 'done', id }
  })
}

/**
 * Changes a status page. One that is published is changed only by those who may publish. A patch with what the page has
 * already changes nothing.
 */
export async function editStatusPage(
  { store }: AccountContext,
  { teamId, actor, id, patch, mayPublish, seen }: Edit,
): Promise<Seen | Invalid | NotFound | Published | PageConflict> {
  return store.transaction(async (tx): Promise<Seen | Invalid | NotFound | Published | PageConflict> => {
    const page = await lockStatusPage(tx, teamId, id)
    if (!page) return NO_PAGE
    if (isOther(page, seen)) return OTHER_TAG
    const parts = partsAfter(page, patch)
    const changed = changedKeys(page, parts, patch)
    if (changed.length === 0) return { kind: 'done', id, slugs: [] }
    if (page.published && !mayPublish) return { kind: 'published' }
    if (parts.slug !== page.slug && (await isSlugTaken(tx, parts.slug, id)))
      return { kind: 'page_conflict', why: 'slug_taken' }
    if (patch.shows && changed.includes('shows')) {
      const listed = await listedOf(tx, teamId, patch.shows)
      if ('kind' in listed) return listed
      await listOnStatusPage(tx, id, listed)
    }
    await updateStatusPage(tx, { teamId, id, parts })
    await note(tx, { teamId, actor, action: 'updated', id, title: parts.title, metadata: { changed } })
    return { kind: 'done', id, slugs: page.published ? [page.slug, parts.slug] : [] }
  })
}

interface Shown extends UserRequester, OnePage {
  /** The `updated_at` of the page that the requester looked at. Undefined: any. */
  readonly seenAt: string | undefined
}

/** Shows a status page to everybody: the one that the requester has seen, and not one that was changed since. */
export async function showStatusPage(
  { store }: AccountContext,
  { id, seenAt, ...requester }: Shown,
): Promise<Seen | NotFound | NotAllowed | PageConflict> {
  const { teamId, actor } = requester
  return store.transaction(async (tx): Promise<Seen | NotFound | NotAllowed | PageConflict> => {
    const refused = await beginTeamAct(tx, requester, 'publish')
    if (refused) return refused
    const page = await lockStatusPage(tx, teamId, id)
    if (page && seenAt !== undefined && Date.parse(page.updated_at) !== Date.parse(seenAt))
      return { kind: 'page_conflict', why: 'changed', path: 'updated_at' }
    return setPublished(tx, { teamId, actor, id, published: true })
  })
}

/** Takes a status page back. Those who may change monitors may do it, so that nobody waits for an admin. */
export const hideStatusPage = ({ store }: AccountContext, page: OnePage): Promise<Seen | NotFound> =>
  store.transaction((tx) => setPublished(tx, { ...page, published: false }))

async function setPublished(
  tx: Transaction,
  { teamId, actor, id, published }: OnePage & { readonly published: boolean },
): Promise<Seen | NotFound> {
  const page = await lockStatusPage(tx, teamId, id)
  if (!page) return NO_PAGE
  if (page.published !== published) {
    await publishStatusPage(tx, { teamId, id, published })
    const action = published ? 'published' : 'unpublished'
    await note(tx, { teamId, actor, action, id, title: page.title })
  }
  return { kind: 'done', id, slugs: [page.slug] }
}

export async function deleteStatusPage(
  { store }: AccountContext,
  { teamId, actor, id, seen }: OnePage & Tagged,
): Promise<Seen | NotFound | PageConflict> {
  return store.transaction(async (tx): Promise<Seen | NotFound | PageConflict> => {
    const page = await lockStatusPage(tx, teamId, id)
    if (!page) return NO_PAGE
    if (isOther(page, seen)) return OTHER_TAG
    await deleteStatusPageRow(tx, teamId, id)
    await note(tx, { teamId, actor, action: 'deleted', id, title: page.title })
    return { kind: 'done', id, slugs: page.published ? [page.slug] : [] }
  })
}

/** Returns the entity tag of a status page, which changes with each edit, and where it is published or taken back. */
export const statusPageTag = ({ updated_at }: Pick<StoredStatusPage, 'updated_at'>): string => `"${updated_at}"`

const OTHER_TAG: PageConflict = { kind: 'page_conflict', why: 'changed', path: 'If-Match' }
const isOther = (page: StoredStatusPage, seen: Tagged['seen']): boolean =>
  seen !== undefined && !seen.includes(statusPageTag(page))

interface Noted extends Requester {
  readonly action: 'created' | 'updated' | 'published' | 'unpublished' | 'deleted'
  readonly id: string
  readonly title: string
  readonly metadata?: Parameters<typeof recordAudit>[1]['metadata']
}

const note = (tx: Transaction, { teamId, actor, action, id, title, metadata = {} }: Noted) =>
  recordAudit(tx, { teamId, actor, action: `status_page.${action}`, target: { id, label: title }, metadata })

/** Letters and digits that nobody takes for one another: 32 of them, so that each byte gives one without a bias. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
/** 130 random bits. */
const RANDOM_LENGTH = 26

const randomSlug = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH)), (byte) => ALPHABET[byte % 32]).join('')

/** Returns what is stored of a choice of monitors beside their list. */
function labelOf(shows: StatusPageShows): Pick<StatusPageParts, 'label_key' | 'label_value' | 'show_values'> {
  const label = shows.by === 'label' ? parseLabel(shows.label) : null
  if (shows.by !== 'label' || label === null) return { label_key: null, label_value: null, show_values: false }
  return { label_key: label.key, label_value: label.value, show_values: shows.show_values ?? false }
}

function partsAfter(page: StoredStatusPage, patch: StatusPagePatch): StatusPageParts {
  const { label_key, label_value, show_values } = page
  return {
    slug: patch.slug === null ? randomSlug() : (patch.slug ?? page.slug),
    title: patch.title ?? page.title,
    indexed: patch.indexed ?? page.indexed,
    ...(patch.shows ? labelOf(patch.shows) : { label_key, label_value, show_values }),
  }
}

/** Returns the keys of the patch that ask for something else than the page has. */
function changedKeys(page: StoredStatusPage, after: StatusPageParts, { shows }: StatusPagePatch): readonly string[] {
  const keys = (['title', 'slug', 'indexed'] as const).filter((key) => after[key] !== page[key])
  return shows === undefined || isShownAlready(page, after, shows) ? keys : [...keys, 'shows']
}

function isShownAlready(page: StoredStatusPage, after: StatusPageParts, shows: StatusPageShows): boolean {
  if ((['label_key', 'label_value', 'show_values'] as const).some((key) => after[key] !== page[key])) return false
  const wanted = shows.by === 'label' ? [] : shows.monitors
  return (
    wanted.length === page.monitors.length &&
    page.monitors.every(({ monitor_id, name, show_value }, nth) => {
      const one = wanted[nth]
      return (
        one?.monitor_id.toLowerCase() === monitor_id && one.name === name && (one.show_value ?? false) === show_value
      )
    })
  )
}

/** Returns the list of a status page by the numbers of monitors, or what is wrong with it. */
async function listedOf(tx: Transaction, teamId: string, shows: StatusPageShows) {
  if (shows.by === 'label') return []
  const ids = shows.monitors.map((one) => one.monitor_id.toLowerCase())
  const numbers = await numbersById(tx, teamId, ids)
  const issues = ids.flatMap((id, nth) => {
    const path = joinPath('shows', 'monitors', nth, 'monitor_id')
    if (!numbers.has(id)) return [{ path, message: 'is not a monitor of the team' }]
    return ids.indexOf(id) < nth ? [{ path, message: 'is in the list already' }] : []
  })
  if (issues.length > 0) return { kind: 'invalid', issues } satisfies Invalid
  return shows.monitors.map(({ name, show_value = false }, nth) => ({
    monitor_no: numbers.get(ids[nth] ?? '') ?? 0,
    name,
    show_value,
  }))
}
