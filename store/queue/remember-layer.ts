import { sql } from 'slonik'
import type { FetchReason } from '../../schema/run/run.ts'
import type { Store } from '../db/client.ts'
import { nothing } from '../db/row.ts'
import type { Held } from './lease.ts'
import { NOBODY_ISOLATES, NOBODY_RENDERS } from './who-renders.ts'

/** A claimed check, and the fetch layer that its next checks use. */
interface RememberedLayer extends Held {
  readonly queue: 'static' | 'browser'
}

/** When a page needs a browser, the static layer is tried again at most this often. */
const STATIC_AGAIN_SECONDS = 86_400

/** Stores the layer that a check uses from now on, and keeps the reason for the browser. The check itself continues. */
export async function rememberLayer(store: Store, { no, fence, queue }: RememberedLayer): Promise<void> {
  const sets = queue === 'browser' ? BROWSER : STATIC
  await store.query(sql.type(nothing)`
    update checks set ${sets} where no = ${no} and fence = ${fence} and run_id is not null
  `)
}

const BROWSER = sql.fragment`
  queue = 'browser', static_again_at = clock() + make_interval(secs => ${STATIC_AGAIN_SECONDS})`
const STATIC = sql.fragment`queue = 'static', static_again_at = null, layer_reason = null`

/** A page that reads otherwise without its media is read without them again after this time. */
const MEDIA_AGAIN_SECONDS = 7 * 86_400
/** A page that changed may change at each check, and each change is read twice. */
const INTERVALS_AFTER_CHANGE = 4

/**
 * Renders a check with the media of its page from now on: for a week where it needs them, else for some checks. The
 * check itself continues.
 */
export async function rememberMedia(
  store: Store,
  { no, fence, isNeeded }: Held & { isNeeded: boolean },
): Promise<void> {
  const seconds = isNeeded
    ? sql.fragment`${MEDIA_AGAIN_SECONDS}::int`
    : sql.fragment`interval_seconds * ${INTERVALS_AFTER_CHANGE}::int`
  await store.query(sql.type(nothing)`
    update checks set media_again_at = clock() + make_interval(secs => ${seconds})
    where no = ${no} and fence = ${fence} and run_id is not null
  `)
}

/** Moves a claimed check to the browser. The run stays the same and is due at once, and the layer is remembered. */
export async function handOver(store: Store, { no, fence, reason }: Held & { reason: FetchReason }): Promise<void> {
  await store.query(sql.type(nothing)`
    update checks
    set ${BROWSER}, layer_reason = ${reason}::fetch_reason, due_at = clock(), fence = fence + 1, holder = null
    where no = ${no} and fence = ${fence} and run_id is not null
  `)
}

/** A claimed check whose rules had no match for these fields in a direct answer with scripts. */
interface Unmatched extends Held {
  readonly fields: readonly string[]
}

/**
 * Moves a claimed check to the browser, which may find what its rules select: once with each configuration, and once a
 * day where one of the fields has a value in the baseline. Returns whether it did. It does not where nobody would
 * render the page: then the direct reading is the outcome.
 */
export async function renderMissing(store: Store, { no, fence, fields }: Unmatched): Promise<boolean> {
  const { rowCount } = await store.query(sql.type(nothing)`
    with t as materialized (select clock() as at)
    update checks c
    set queue = 'browser', static_again_at = '-infinity', layer_reason = 'no_match', missing_rendered_at = t.at,
      due_at = t.at, fence = fence + 1, holder = null
    from t
    where no = ${no} and fence = ${fence} and run_id is not null
      and (missing_rendered_at is null or missing_rendered_at <= t.at - interval '1 day' and exists (
        select from baselines b, unnest(${sql.array([...fields], 'text')}) name
        where b.no = c.no and c.reading_id is not null
          and coalesce(b.extracted -> name, 'null'::json)::text not in ('null', '[]')))
      and not (${NOBODY_ISOLATES} and (is_isolated or ${NOBODY_RENDERS}))
  `)
  return rowCount === 1
}
