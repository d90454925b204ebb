import { sql } from 'slonik'
import type { Services } from '../../../api/services.ts'
import { type MonitorSummary, nextSummary } from '../../../core/overview/monitor-summary.ts'
import type { RunChange } from '../../../core/overview/run-change.ts'
import { runIdTime } from '../../../core/run-id.ts'
import { nothing } from '../../../store/db/row.ts'
import { seedRun } from './seeded-runs.ts'

/** A check of a search: its age in hours, and the place of the watched site. Null: not listed. */
type SeededRank = readonly [hours: number, rank: number | null | 'blocked']

interface SeededSearch {
  /** The site that is watched. */
  readonly domain: string
  readonly ranks: readonly SeededRank[]
  /** Since how many hours the engine shows an AI overview. Without it: nobody knows. */
  readonly overviewSince?: number
  /** How many results each check has, default 10. */
  readonly results?: number
}

const OTHERS = ['amber.example', 'birch.example', 'cedar.example', 'dune.example', 'elm.example', 'fern.example']

/** Stores checks of a search as a worker would have recorded them, with its row in lists; answers the last run. */
export async function seedRanks(
  { store, secrets }: Pick<Services, 'store' | 'secrets'>,
  id: string,
  { domain, ranks, overviewSince, results = 10 }: SeededSearch,
): Promise<string> {
  let [last, summary]: [string, MonitorSummary | null] = ['', null]
  let before: number | null = null
  for (const [hours, rank] of ranks) {
    const age = `${hours} h`
    if (rank === 'blocked') {
      const check = { ...CHECK, outcome: 'blocked', source: null, pages: 0 }
      await seedRun({ store, secrets }, id, { age, status: 'error', errorCode: 'blocked', check })
      continue
    }
    const change = last !== '' && rank !== before ? changeOf(before, rank) : null
    last = await seedRun({ store, secrets }, id, {
      age,
      results: listOf(results, rank, domain, hours),
      check: { ...CHECK, outcome: 'ok' },
      ...(rank !== null && { rank }),
      ...(overviewSince !== undefined && { aiOverview: hours <= overviewSince, featuredSnippet: false }),
      ...(change && { change }),
    })
    summary = nextSummary(summary, {
      runId: last,
      endedMs: runIdTime(last),
      value: { field: 'rank', text: word(rank) },
      plotted: { field: 'rank', number: rank },
      change,
    })
    before = rank
  }
  await store.query(sql.type(nothing)`
    with m as (select no, team_id from monitors where id = ${id}::uuid),
    checked as (
      update checks set reading_id = ${last}::uuid, last_change_id = ${summary?.change?.run_id ?? null}::uuid,
        last_run_at = clock() where no = (select no from m))
    insert into baselines (no, team_id, extracted, summary)
    select no, team_id, '{}', ${JSON.stringify(summary)}::json from m
    on conflict (no) do update set summary = excluded.summary`)
  return last
}

const CHECK = { source: 'engine', pages: 1, cut_by: null, is_guess: false, country: 'exact', late_ms: 400, marker: 'r' }

const changeOf = (before: number | null, after: number | null): RunChange => ({
  fields: [{ field: 'rank', before: word(before), after: word(after), percent: null }],
  more: 0,
})

const word = (rank: number | null): string => (rank === null ? 'not listed' : `#${rank}`)

/** Returns results in an order that differs a little from check to check. */
const listOf = (count: number, rank: number | null, domain: string, hours: number) =>
  Array.from({ length: count }, (_, nth) => {
    const other = OTHERS[(nth + (nth > 2 ? Math.floor(hours / 40) : 0)) % OTHERS.length] ?? ''
    const site = nth + 1 === rank ? domain : `${nth < OTHERS.length ? '' : 'www.'}${other}`
    return {
      position: nth + 1,
      title: `${site.split('.').at(-2)}: all of them`,
      url: `https://${site}/`,
      domain: site,
      description: `What ${site} says of it, with ${20 - (nth % 3)} photographs.`,
    }
  })
