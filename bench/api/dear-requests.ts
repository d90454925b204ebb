import type { Database } from '../support/database.ts'
import { PAGE_EXTRACT } from '../support/page.ts'
import type { DearRequest } from './flood.ts'

const PREDICATE_WIDTH = 25
const RUNS = 100

/** Returns the body that creates a monitor of a page. */
export const monitorOf = (url: string): object => ({
  name: 'Kettle',
  url,
  schedule_interval_seconds: 86_400,
  extract_config: { ...PAGE_EXTRACT, fields: { ...PAGE_EXTRACT.fields, list: 'li[]' } },
  diff_predicate: { type: 'any_field_changes' },
})

const composite = (depth: number): object =>
  depth === 0
    ? { type: 'field_above', field: 'price', threshold: 1 }
    : {
        type: 'composite',
        operator: 'AND',
        conditions: Array.from({ length: PREDICATE_WIDTH }, () => composite(depth - 1)),
      }
const unknownKeys = (bytes: number): string => {
  const keys: string[] = []
  for (let at = 0, size = 2; size < bytes - 20; at += 1) size += keys.push(`"${at}":1`) && `"${at}":1,`.length
  return `{${keys.join()}}`
}

/** The monitor of the team, with a hundred runs of the largest values, on whose texts a pattern backtracks for ever. */
export async function fillRuns({ client }: Database, monitorId: string): Promise<string> {
  const value = { price: `${'a'.repeat(40)}!`, list: Array.from({ length: 85_000 }, () => []) }
  const diff = { fields_changed: ['price', 'list'], before: { ...value, price: '1' }, after: value }
  const { rows } = await client.query<{ id: string }>(
    `with m as (select no, team_id from monitors where id = $1::uuid),
     counted as (update checks set runs_total = ${RUNS} where no = (select no from m))
     insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, extracted, diff)
     select m.no, new_run_id(clock() - n * interval '1 ms', m.no), m.team_id, 0, 1, 'success', $2::jsonb, $3::jsonb
     from m, generate_series(1, ${RUNS}) n returning id`,
    [monitorId, JSON.stringify(value), JSON.stringify(diff)],
  )
  return rows[0]?.id ?? ''
}

const largeMonitor = (): object => ({
  ...monitorOf('https://example.com/kettle'),
  extract_config: {
    method: 'css',
    fields: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`field${at}`, `.of-a-kettle-${at} `.repeat(20)])),
  },
  diff_predicate: {
    type: 'composite',
    operator: 'OR',
    conditions: Array.from({ length: 50 }, (_, at) => ({
      type: 'field_changes',
      field: `field${at}`,
    })),
  },
})

/** What is behind the addresses of the requests. */
interface Stored {
  readonly monitorId: string
  /** A hundred monitors, as many as one request changes. */
  readonly monitorIds: readonly string[]
  readonly runId: string
  /** The address of a page of 10 MB. */
  readonly page: string
}

/** Returns, by what is dear in them, the worst requests that are allowed. */
export function dearRequests({
  monitorId,
  monitorIds,
  runId,
  page,
}: Stored): Readonly<Record<string, readonly DearRequest[]>> {
  const at = `/v1/monitors/${monitorId}`
  const evil = { type: 'field_matches_regex', field: 'price', pattern: '^(a+)+$' }
  const wide = JSON.stringify({ diff_predicate: composite(3) })
  return {
    'the largest bodies': [
      { method: 'PATCH', path: at, body: wide },
      { method: 'PATCH', path: at, body: unknownKeys(4 * 1024 * 1024) },
    ],
    'the longest lists': [{ method: 'GET', path: `${at}/runs?limit=${RUNS}` }],
    'the largest records': [
      { method: 'GET', path: `/v1/runs/${runId}` },
      { method: 'GET', path: `${at}/manifest` },
      { method: 'GET', path: `/v1/runs/${runId}/diff` },
    ],
    'backtests with slow patterns': [
      { method: 'POST', path: `${at}/backtest`, body: JSON.stringify({ diff_predicate: evil }) },
    ],
    // One after the other, as `tidemark import` does.
    'an import of large monitors': [{ method: 'POST', path: '/v1/monitors', body: JSON.stringify(largeMonitor()) }],
    'runs of a hundred monitors at once': [
      { method: 'POST', path: '/v1/monitors/bulk', body: JSON.stringify({ action: 'run', ids: monitorIds }) },
    ],
    'previews of the largest pages': [
      {
        method: 'POST',
        path: '/v1/monitors/preview',
        body: JSON.stringify({ url: page, extract_config: { method: 'xpath', fields: { all: '//*//*//*[]' } } }),
      },
    ],
  }
}
