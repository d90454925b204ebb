import { type FragmentSqlToken, sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { MonitorSummary } from '../../core/overview/monitor-summary.ts'
import type { RunChange } from '../../core/overview/run-change.ts'
import { STATUS_LIMITS } from '../../schema/status/status-limits.ts'
import { MAX_SHOWN_MONITORS } from '../../schema/status/status-page.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf, unnest } from '../db/row.ts'
import { Stored, TextOrNull } from '../monitors/kinds/monitor-row.ts'
import { CUTOFF } from '../quota/pool.ts'

const FoundPage = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  title: Type.String(),
  indexed: Type.Boolean(),
  published: Type.Boolean(),
  /** The clock of the store. */
  at: Type.String(),
})
/** A page that everybody may see, without what it shows. */
export type PublicPage = Static<typeof FoundPage>
const foundPage = rowOf(FoundPage)

const FoundMonitor = Type.Object({
  page_id: Type.String(),
  no: Type.Integer(),
  /** The public name. */
  name: Type.String(),
  show_value: Type.Boolean(),
  is_paused: Type.Boolean(),
  is_failing: Type.Boolean(),
  /** A check of it has ended. */
  is_checked: Type.Boolean(),
  /** When the last check ended. */
  last_run_at: TextOrNull,
  /** When its check is due. Null: it is not scheduled. */
  due_at: TextOrNull,
  interval_seconds: Type.Integer(),
  /** It was read since the last edit that changed what its values mean. */
  has_reading: Type.Boolean(),
  summary: Stored<Pick<MonitorSummary, 'value' | 'change'> | null>(),
  /** Values of changes are shown from this id of a run on. */
  values_floor: Type.String(),
  /** The last change is inside of the plan's window. */
  is_change_shown: Type.Boolean(),
})
const foundMonitor = rowOf(FoundMonitor)

/** A monitor on a status page. Nothing is read that must not be shown. */
type FoundMonitor = Static<typeof FoundMonitor>

/** A status page with what it shows. */
export interface FoundStatusPage extends PublicPage {
  readonly monitors: readonly FoundMonitor[]
  /** More monitors have the label than a page shows. */
  readonly hasMore: boolean
}

const PAGE = sql.fragment`p.id, p.slug, p.title, p.indexed, p.published, clock() as at`

/**
 * Returns those of the slugs that everybody may see: published pages of teams whose trial is not over. At most one
 * statement.
 */
export const findPublicPages = (store: Queryable, slugs: readonly string[]): Promise<readonly PublicPage[]> =>
  store.any(sql.type(foundPage)`
    select ${PAGE} from status_pages p join teams t on t.id = p.team_id
    where p.slug = any(${sql.array([...slugs], 'text')}) and p.published and not t.trial_over and t.ended_at is null`)

/** Returns a page of the team with what it shows, whether it is published or not. */
export async function previewOfPage(store: Queryable, teamId: string, id: string): Promise<FoundStatusPage | null> {
  const page = await store.maybeOne(sql.type(foundPage)`
    select ${PAGE} from status_pages p where p.team_id = ${teamId}::uuid and p.id = ${id}::uuid`)
  if (!page) return null
  const [filled] = await fillPages(store, [page])
  return filled ?? null
}

const MOST = sql.literalValue(String(MAX_SHOWN_MONITORS + 1))

/** Pages `p` by their ids, with where their plan's window begins. */
const askedPages = (ids: readonly string[]): FragmentSqlToken => sql.fragment`
  select p.id, p.team_id, p.label_key, p.label_value, p.show_values, p.values_since, run_id_floor(${CUTOFF}) as floor_id
  from status_pages p cross join lateral team_limits(p.team_id) l
  where p.id = any(${sql.array([...ids], 'uuid')})`

/** Returns the pages with what they show. One statement for all of them. */
export async function fillPages(store: Queryable, pages: readonly PublicPage[]): Promise<readonly FoundStatusPage[]> {
  if (pages.length === 0) return []
  const found = await store.any(sql.type(foundMonitor)`
    with asked as materialized (${askedPages(pages.map(({ id }) => id))})
    select a.id as page_id, m.no, s.name, s.show_value, m.locked or m.paused or m.suspended as is_paused,
      c.failures > 0 as is_failing, c.last_run_at is not null as is_checked, c.last_run_at, c.due_at,
      c.interval_seconds, c.reading_id is not null as has_reading, b.summary,
      run_id_floor(greatest(s.values_since, m.values_since)) as values_floor,
      coalesce(c.last_change_id >= a.floor_id, false) as is_change_shown
    from asked a
    cross join lateral (
      (
        select l.monitor_no as no, l.name, l.show_value, l.values_since, l.position::bigint as nth
        from status_page_monitors l where l.page_id = a.id and a.label_key is null
      )
      union all
      (
        select o.no, o.name, a.show_values, greatest(a.values_since, o.labels_since),
          row_number() over (order by o.name collate natural_names, o.no)
        from monitors o
        -- Without its first condition, the monitors of a team are read for its pages with a list too.
        where a.label_key is not null
          and o.team_id = a.team_id and o.deleted_at is null and o.labels->>a.label_key = a.label_value
        order by o.name collate natural_names, o.no
        limit ${MOST}
      )
    ) s
    join monitors m on m.no = s.no and m.team_id = a.team_id and m.deleted_at is null
    join checks c on c.no = m.no
    left join baselines b on b.no = m.no
    order by a.id, s.nth`)
  const byPage = Map.groupBy(found, (one) => one.page_id)
  return pages.map((page) => {
    const monitors = byPage.get(page.id) ?? []
    return { ...page, monitors: monitors.slice(0, MAX_SHOWN_MONITORS), hasMore: monitors.length > MAX_SHOWN_MONITORS }
  })
}

const PublicChange = Type.Object({
  page_id: Type.String(),
  run_id: Type.String(),
  no: Type.Integer(),
  start_offset_ms: Type.Integer(),
  duration_ms: Type.Integer(),
  /** Null: an earlier version recorded the run. */
  change: Stored<RunChange | null>(),
})
const publicChange = rowOf(PublicChange)
/** A change of a monitor on a status page. */
export type PublicChange = Static<typeof PublicChange>

const LOOKS = sql.literalValue(String(STATUS_LIMITS.feedLooks))
const ITEMS = sql.literalValue(String(STATUS_LIMITS.feedItems))
const DAYS = sql.literalValue(String(STATUS_LIMITS.feedDays))

/**
 * Returns the newest changes of what the pages show, the newest first. One statement for all pages. It goes along the
 * index of changes for as far as `STATUS_LIMITS` says, so its cost does not grow with the team.
 */
export async function changesOfPages(
  store: Queryable,
  pages: readonly FoundStatusPage[],
): Promise<readonly PublicChange[]> {
  const shown = pages.flatMap(({ id, monitors }) => monitors.map(({ no }) => ({ page_id: id, no })))
  if (shown.length === 0) return []
  return store.any(sql.type(publicChange)`
    with shown as materialized (
      select x.page_id, array_agg(x.no) as nos
      from ${unnest('x', shown, { page_id: 'uuid', no: 'int8' })} group by x.page_id
    ),
    asked as materialized (${askedPages(pages.map(({ id }) => id))})
    select a.id as page_id, r.id as run_id, r.monitor_no as no, r.start_offset_ms, r.duration_ms, r.change
    from asked a join shown s on s.page_id = a.id
    cross join lateral (
      select n.id, n.monitor_no from (
        select c.id, c.monitor_no from runs c
        where c.team_id = a.team_id and (c.change is not null or c.diff is not null)
          and c.id >= greatest(a.floor_id, run_id_floor(clock() - make_interval(days => ${DAYS}::int)))
        order by c.id desc limit ${LOOKS}
      ) n
      where n.monitor_no = any(s.nos)
      order by n.id desc limit ${ITEMS}
    ) n
    join runs r on r.monitor_no = n.monitor_no and r.id = n.id
    order by a.id, r.id desc`)
}
