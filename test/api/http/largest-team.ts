import { createHash } from 'node:crypto'
import { MAX_API_KEYS_ROTATED } from '../../../schema/account/api-key.ts'
import { PREDICATE_CONDITIONS } from '../../../schema/monitor/diff-predicate.ts'
import { VALUE_LIMITS } from '../../../schema/monitor/value-limits.ts'
import {
  MAX_PUBLIC_NAME,
  MAX_SHOWN_MONITORS,
  MAX_STATUS_PAGES,
  MAX_STATUS_TITLE,
} from '../../../schema/status/status-page.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import type { Client, ServedApi } from '../../support/api/served-api.ts'

type Resource = 'monitors' | 'serp-monitors' | 'runs' | 'run-images' | 'deliveries' | 'status-pages'

/** A team that stores the most of everything that a route answers with. */
export interface LargestTeam extends Client {
  readonly owner: CreatedOwner
  /** The ids that stand for the parameters of a path, by the resource in front of them. */
  readonly ids: Readonly<Record<Resource, string>>
}

const headers = (bytes: number) =>
  Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'h'.repeat(bytes)]))
const leaf = (at: number) => ({ type: 'field_above', field: 'price', threshold: at })
const all = (conditions: readonly object[]) => ({ type: 'composite', operator: 'AND', conditions })
const times = <T>(make: (at: number) => T): T[] => Array.from({ length: PREDICATE_CONDITIONS }, (_, at) => make(at))

/** The largest body that creates a monitor: every list is full, and a predicate has all of its conditions. */
export const LARGEST_MONITOR = {
  ...MONITOR,
  request_headers: headers(2_048),
  deliveries: Array.from({ length: 25 }, (_, n) => ({
    type: 'webhook',
    url: `https://example.com/${n}`,
    headers: headers(2_048),
  })),
  diff_predicate: all(times((a) => all(times((b) => all(times((c) => leaf(625 * a + 25 * b + c))))))),
} as const

/** The largest body that creates a search. */
export const LARGEST_SEARCH = {
  name: '"'.repeat(200),
  keyword: 'k'.repeat(2_048),
  schedule_interval_seconds: 600,
  deliveries: LARGEST_MONITOR.deliveries,
}

/** As many bytes as a run keeps, of values that take much more memory than their text. */
const READING = {
  price: '"'.repeat(VALUE_LIMITS.itemBytes / 2),
  list: Array.from({ length: VALUE_LIMITS.resultBytes / 3 - 30_000 }, () => []),
}

export async function largestTeam(served: ServedApi): Promise<LargestTeam> {
  const { api } = served
  const team = await served.anotherTeam('unlimited')
  const { team_id: teamId, user_id: userId } = team.owner
  // Lists begin with what was made last.
  const others = await Promise.all(Array.from({ length: MAX_SHOWN_MONITORS - 2 }, () => createMonitor(team)))
  const monitor = await createMonitor(team, LARGEST_MONITOR)
  const search = await team.post('/v1/serp-monitors', LARGEST_SEARCH)
  const before = { ...READING, price: "'\n".repeat(VALUE_LIMITS.itemBytes / 3) }
  const diff = { fields_changed: ['price', 'list'], before, after: READING }
  const run = await seedRun(api.services, monitor.id, { extracted: READING, diff })
  const delivery = await seedDelivery(api.services, run, { payload: { diff }, responseBody: 'x'.repeat(4_096) })
  const region = { label: 'x'.repeat(100), pct: 1, before: userId, after: userId, diff: userId }
  const hash = createHash('sha256').update(teamId).digest('hex')
  await api.sql(`
    insert into api_keys (team_id, user_id, name, prefix, hash, scopes)
      select '${teamId}', '${userId}', repeat('"', 100), 'tm_12345', sha256(('${hash}' || n)::bytea), '{read,write}'
      from generate_series(1, ${MAX_API_KEYS_ROTATED}) n;
    insert into audit_events (team_id, action, target_type, target_label, actor_type, actor_label, metadata)
      select '${teamId}', 'monitor.bulk_action', 'monitor', repeat('"', 254), 'system', repeat('"', 254),
        jsonb_build_object('failed', (select jsonb_agg(gen_random_uuid()) from generate_series(1, 100)))
      from generate_series(1, 100);
    insert into auth.sessions (user_id, token, expires_at, user_agent, ip_address)
      select '${userId}', '${hash}' || n, now() + interval '7 days', repeat('"', 200), '192.0.2.1'
      from generate_series(1, 1000) n;
    insert into run_images (monitor_no, run_id, team_id, change_pct, has_changes, thumb_id, regions)
      select monitor_no, id, team_id, 1, true, id, (select json_agg('${JSON.stringify(region)}'::json)
        from generate_series(1, 20)) from runs where id = '${run}'`)
  const ids = {
    monitors: monitor.id,
    'serp-monitors': search.body.id,
    runs: run,
    'run-images': run,
    deliveries: delivery,
    'status-pages': await createStatusPages(team, [monitor.id, search.body.id, ...others.map(({ id }) => id)]),
  }
  return { ...team, ids }
}

/** Makes as many status pages as a team may have, of the longest names. Returns the id of the last one. */
async function createStatusPages(team: Client, monitors: readonly string[]): Promise<string> {
  let id = ''
  for (let nth = 0; nth < MAX_STATUS_PAGES; nth += 1) {
    const shown = monitors.map((monitor_id) => ({
      monitor_id,
      name: '"'.repeat(MAX_PUBLIC_NAME),
      show_value: true,
    }))
    const { status, body } = await team.post('/v1/status-pages', {
      title: '"'.repeat(MAX_STATUS_TITLE),
      shows: { by: 'monitors', monitors: shown },
    })
    if (status !== 201) throw new Error(JSON.stringify(body))
    id = body.id
  }
  return id
}
