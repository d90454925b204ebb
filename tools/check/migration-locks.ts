import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

/** Tables that checks, deliveries and requests use all the time, and that grow with monitors. */
const HOT: ReadonlySet<string> = new Set(
  (
    'asked_work baselines checks deliveries images monitor_resources monitors notice_events notices page_texts ' +
    'previews run_images runs seen_marks team_usage visual_baselines'
  ).split(' '),
)

/** The first line of a migration whose statements run one by one, outside a transaction (store/db/migrate.ts). */
const OUTSIDE = '-- Runs outside a transaction.'
/** Migrations up to this one are from before the first release: they never ran beside processes of users. */
const LAST_FREE = 37

const ROWS = 'rewrites or reads all rows under a lock'
/** Clauses of `alter table` that take longer with more rows. */
const CLAUSES: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  { pattern: /\balter (?:column )?\S+ (?:set data )?type\b/, advice: `${ROWS}: add a column, and fill it in batches` },
  {
    pattern: /\bset not null\b/,
    advice: 'reads all rows under a lock: add a constraint as not valid, and validate it',
  },
  {
    pattern: /\badd (?:constraint \S+ )?(?:check|foreign key)\b(?!.*\bnot valid\b)/,
    advice: 'reads all rows under a lock: write not valid, and validate it in a migration of its own',
  },
  {
    pattern: /\badd (?:constraint \S+ )?(?:unique|primary key)\b(?!.*\busing index\b)/,
    advice: 'builds an index under a lock: build it concurrently, and add the constraint using it',
  },
  {
    pattern: /\badd (?!constraint\b)(?:column )?.*\b(?:references|generated always|unique|primary key)\b/,
    advice: `${ROWS}: add the column alone, and the rest after it`,
  },
  {
    pattern: /\badd (?:column )?.*\bdefault\b.*(?:\b(?:clock|now|random|gen_random_uuid|nextval|uuidv7)\()/,
    advice: `${ROWS}: a default that differs by row is set in batches`,
  },
]

export const migrationLocks: Check = {
  name: 'locks',
  faults: ({ files }) => files.flatMap((file) => migrationLockFaults(file)),
}

/**
 * Reports statements of a migration that hold a lock on a hot table for as long as it has rows: checks and deliveries
 * would stop until it is done. Tables that the migration makes itself are empty.
 */
export function migrationLockFaults({ path, text }: SourceFile): string[] {
  const [, number = '0'] = /^store\/migrations\/(\d+)-[^/]+\.sql$/.exec(path) ?? []
  if (Number(number) <= LAST_FREE) return []
  const isOutside = text.startsWith(OUTSIDE)
  const statements = statementsOf(text)
  const made = new Set(statements.flatMap(({ sql }) => /^create table (?:if not exists )?(\S+)/.exec(sql)?.[1] ?? []))
  return statements.flatMap(({ sql, line }, index) => {
    const before = statements[index - 1]?.sql ?? ''
    const fault = faultOf(sql, { isOutside, before, isHot: (table) => HOT.has(table) && !made.has(table) })
    return fault === null ? [] : [`${path}:${line}: ${fault}`]
  })
}

interface Context {
  readonly isOutside: boolean
  /** The statement before. */
  readonly before: string
  isHot(table: string): boolean
}

function faultOf(sql: string, context: Context): string | null {
  const { isHot } = context
  const [, concurrently, name = '', table = ''] =
    /^create (?:unique )?index (concurrently )?(?:if not exists )?(\S+) on (?:only )?(\w+)/.exec(sql) ?? []
  if (isHot(table)) return indexFault({ name, table, isConcurrent: concurrently !== undefined }, context)
  const [, altered = '', clauses = ''] = /^alter table (?:only )?(\w+) (.*)$/.exec(sql) ?? []
  if (isHot(altered)) {
    const found = CLAUSES.find(({ pattern }) => pattern.test(clauses))
    return found ? `${altered}: ${found.advice}` : null
  }
  const [, changed = ''] =
    /^(?:update|delete from|truncate(?: table)?|lock table|cluster|reindex table) (\w+)/.exec(sql) ?? []
  return isHot(changed) ? `${changed}: ${ROWS}: let the program do it, in batches` : null
}

function indexFault(
  { name, table, isConcurrent }: { readonly name: string; readonly table: string; readonly isConcurrent: boolean },
  { isOutside, before }: Context,
): string | null {
  if (table === 'runs') return 'runs has partitions: build the index on each of them concurrently, and attach it'
  if (!isConcurrent || !isOutside)
    return `${table}: writes wait while the index is built: begin the file with "${OUTSIDE}", and write concurrently`
  if (before === `drop index concurrently if exists ${name}`) return null
  return `${table}: an interrupted index stays, and is invalid: drop index concurrently if exists ${name} first`
}

interface Statement {
  /** In lower case, without comments, with single spaces. */
  readonly sql: string
  readonly line: number
}

/** Returns the statements of a file. Bodies of functions, between two `$$`, hold semicolons too. */
function statementsOf(text: string): readonly Statement[] {
  const bare = text.replaceAll(/--.*$/gm, (comment) => ' '.repeat(comment.length))
  const statements: Statement[] = []
  let start = 0
  for (const { index } of bare.matchAll(/;|$(?![\s\S])/g)) {
    if ((bare.slice(start, index).split('$$').length - 1) % 2 === 1) continue
    const sql = bare.slice(start, index)
    const line = bare.slice(0, start + (/\S/.exec(sql)?.index ?? 0)).split('\n').length
    const words = sql.toLowerCase().replaceAll(/\s+/g, ' ').trim()
    if (words !== '') statements.push({ sql: words, line })
    start = index + 1
  }
  return statements
}
