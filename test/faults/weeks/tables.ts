import type { Query } from '../query.ts'

/** Rows and bytes of a table with its indexes; its partitions together. */
export interface TableSize {
  readonly rows: number
  readonly bytes: number
}

export type TableSizes = Readonly<Record<string, TableSize>>

/** What Postgres holds. */
export interface StoreSize {
  readonly tables: TableSizes
  /** The months of the table of runs. */
  readonly partitions: readonly string[]
  readonly largeObjects: number
  readonly sequences: number
}

/** What a table keeps, and therefore where it stops to grow. */
export type Bound =
  /** The same rows all the time. */
  | 'constant'
  /** Rows of work that is not done yet. */
  | 'under way'
  /** Rows of the retention window. */
  | 'retention'
  /** Rows of so many days, which are more than the retention window: compared where two thirds of a run are as long. */
  | { readonly days: number }
  /** It may grow: why. */
  | { readonly excused: string }

/** Every table of the store. A new one fails the test until it is named here. */
export const BOUNDS: Readonly<Record<string, Bound>> = {
  api_keys: 'retention',
  asked_work: 'under way',
  audit_events: 'retention',
  'auth.accounts': 'constant',
  'auth.sessions': { days: 8 },
  'auth.users': 'constant',
  'auth.verifications': 'constant',
  baselines: 'retention',
  chat_paces: 'constant',
  checks: 'retention',
  credit_purchases: { excused: 'a row for each payment, so that none is counted twice' },
  dead_destinations: 'retention',
  deliveries: 'retention',
  encryption_keys: 'constant',
  exchanged_runner_tokens: { days: 90 },
  folded_days: 'constant',
  forgotten_runs: 'retention',
  idempotent_answers: 'constant',
  images: 'retention',
  installation: 'constant',
  invitation_mails: 'constant',
  invitations: { days: 37 },
  migrations: 'constant',
  monitor_resources: 'constant',
  monitors: 'retention',
  notice_events: 'retention',
  notices: 'retention',
  looks: 'constant',
  operator_epochs: { excused: 'a row for each cluster' },
  page_texts: 'retention',
  plans: 'constant',
  prompt_answers: { days: 31 },
  proxy_holds: 'constant',
  queue_levels: 'constant',
  rate_limits: 'constant',
  run_images: 'retention',
  run_stretches: 'retention',
  runner_tokens: 'constant',
  runs: 'retention',
  seen_items: 'constant',
  seen_marks: { excused: 'a row for each person and monitor, which goes with either' },
  serp_engines: { excused: 'a row for each search engine' },
  serp_exits: { excused: 'a row for each engine and address that searches come from' },
  serp_unread: { excused: 'a row for each search engine' },
  status_page_monitors: 'constant',
  status_pages: 'constant',
  subscriptions: { excused: 'a row for each team' },
  team_members: 'constant',
  team_storage: 'retention',
  team_usage: 'retention',
  teams: 'retention',
  usage_days: { days: 400 },
  usage_marks: 'constant',
  usage_starts: 'constant',
  visual_baselines: 'constant',
}

/** What autovacuum does where it has a minute: here a day passes in seconds. */
export const vacuum = (query: Query): Promise<unknown> => query('vacuum (analyze)')

export async function measureStore(query: Query): Promise<StoreSize> {
  const tables: Record<string, TableSize> = {}
  const found = await query<{ name: string; relation: string; bytes: number }>(TABLES)
  for (const { name, relation, bytes } of found) {
    const [counted] = await query<{ rows: number }>(`select count(*)::int as rows from ${relation}`)
    tables[name] = { rows: counted?.rows ?? 0, bytes }
  }
  const [other] = await query<{ large: number; sequences: number }>(`
    select (select count(*) from pg_largeobject_metadata)::int as large,
      (select count(*) from pg_sequences where schemaname in ('public', 'auth'))::int as sequences`)
  const partitions = await query<{ name: string }>(`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'runs'::regclass order by 1`)
  return {
    tables,
    partitions: partitions.map(({ name }) => name),
    largeObjects: other?.large ?? 0,
    sequences: other?.sequences ?? 0,
  }
}

const TABLES = `
  select case n.nspname when 'public' then c.relname else n.nspname || '.' || c.relname end as name,
    c.oid::regclass::text as relation,
    case c.relkind
      when 'p' then (select coalesce(sum(pg_total_relation_size(t.relid)), 0) from pg_partition_tree(c.oid) t)
      else pg_total_relation_size(c.oid)
    end::float8 as bytes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition
    and n.nspname not in ('pg_catalog', 'pg_toast', 'information_schema', 'test')
  order by 1`
