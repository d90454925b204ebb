import { statementsOf } from '../../store/db/statements-of.ts'
import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

/** Tables that checks, deliveries and requests use all the time, and that grow with monitors. */
const HOT: ReadonlySet<string> = new Set(
  (
    'asked_work baselines checks deliveries images monitor_resources monitors notice_events notices page_texts ' +
    'run_images runs seen_marks team_usage visual_baselines'
  ).split(' '),
)

/** The first line of a migration whose statements run one by one, outside a transaction (store/db/migrate.ts). */
const OUTSIDE = '-- Runs outside a transaction.'
/** Migrations up to this one are of the first release: they run on an empty database, beside no process. */
const LAST_FREE = 11

const ROWS = 'rewrites or reads all rows under a lock'
/** Clauses of `alter table` that take longer with more rows. */
const CLAUSES: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  { pattern: /^alter (?:column )?\S+ (?:set data )?type\b/, advice: `${ROWS}: add a column, and fill it in batches` },
  { pattern: /^set (?:logged|unlogged|tablespace|access method)\b/, advice: `${ROWS}: leave it as it is` },
  {
    pattern: /\bset not null\b/,
    advice: 'reads all rows under a lock: add a constraint as not valid, and validate it',
  },
  {
    pattern: /^add (?:constraint \S+ )?(?:check|foreign key|not null)\b(?!.*\bnot valid\b)/,
    advice: 'reads all rows under a lock: write not valid, and validate it in a migration of its own',
  },
  {
    pattern: /^add (?:constraint \S+ )?(?:unique|primary key|exclude)\b(?!.*\busing index\b)/,
    advice: 'builds an index under a lock: build it concurrently, and add the constraint using it',
  },
  {
    pattern:
      /^add (?!(?:constraint|check|foreign|unique|primary) ).*\b(?:references|generated|unique|primary key|check)\b/,
    advice: `${ROWS}: add the column alone, and the rest after it`,
  },
  {
    pattern: /^add (?:column )?.*\bdefault\b.*(?:\b(?:clock|now|random|gen_random_uuid|nextval|uuidv7) \()/,
    advice: `${ROWS}: a default that differs by row is set in batches`,
  },
]

/** What may be in a file that runs outside a transaction, which begins again where it was interrupted. */
const REPEATABLE: readonly RegExp[] = [
  /^drop index concurrently if exists \w+$/,
  /^create (?:unique )?index concurrently /,
  /^alter table (?:if exists )?(?:only )?\w+ validate constraint \w+$/,
]
const FROM_INDEX =
  /^alter table (?:if exists )?(?:only )?\w+ add constraint \w+ (?:unique|primary key) using index \w+$/

/** A change of rows, wherever it stands: after `with`, or in a block of `do`. */
const CHANGES = /\b(?:update|delete from|merge into) (?:only )?(\w+)/g
/** A change of a table in a block of `do`. */
const ALTERS = /\b(?:alter table|truncate(?: table)?|lock(?: table)?|index [^;]*?\bon) (?:if exists )?(?:only )?(\w+)/g

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
  const statements = statementsOf(text).map(({ sql, line }) => ({ sql: plain(sql), line }))
  const made = new Set(statements.flatMap(({ sql }) => /^create table (?:if not exists )?(\w+)/.exec(sql)?.[1] ?? []))
  const isHot = (table: string) => HOT.has(table) && !made.has(table)
  return statements.flatMap(({ sql, line }, index) => {
    const before = statements[index - 1]?.sql ?? ''
    const isLast = index === statements.length - 1
    const fault = faultOf(sql, { isOutside, before, isLast, isOnly: isLast && index === 0, isHot })
    return fault === null ? [] : [`${path}:${line}: ${fault}`]
  })
}

/** Returns a statement in lower case, with single spaces, without the content of texts, quotes and `public`. */
const plain = (sql: string): string =>
  sql
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g, (token) => (token.startsWith("'") ? "''" : token))
    .toLowerCase()
    .replaceAll('"', '')
    .replaceAll(/\bpublic\s*\.\s*/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?\( ?/g, ' (')
    .trim()

interface Context {
  readonly isOutside: boolean
  /** The statement before. */
  readonly before: string
  readonly isLast: boolean
  readonly isOnly: boolean
  isHot(table: string): boolean
}

function faultOf(sql: string, context: Context): string | null {
  const { isHot, isOutside } = context
  if (isOutside && !mayRunTwice(sql, context))
    return 'may not run twice: outside a transaction are only indexes, validate constraint, and last add using index'
  const [index, concurrently, name = '', indexed = ''] =
    /^create (?:unique )?index (concurrently )?(?:if not exists )?(?:(\S+) )?on (?:only )?(\w+)/.exec(sql) ?? []
  if (index !== undefined && (isOutside || isHot(indexed)))
    return indexFault({ name, table: indexed, isConcurrent: concurrently !== undefined }, context)
  const [, altered = '', clauses = ''] = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(sql) ?? []
  if (isHot(altered)) return clausesFault(altered, partsOf(clauses), context)
  const changed = changedBy(sql).find(isHot)
  return changed === undefined ? null : `${changed}: ${ROWS}: let the program do it, in batches`
}

const mayRunTwice = (sql: string, { isLast }: Context): boolean =>
  REPEATABLE.some((pattern) => pattern.test(sql)) || (isLast && FROM_INDEX.test(sql))

/** Returns the tables whose rows a statement changes, or that it locks. A function that it makes does so later. */
function changedBy(sql: string): readonly string[] {
  if (/^create (?:or replace )?(?:function|procedure)\b/.test(sql)) return []
  if (/^(?:truncate|lock|cluster|reindex|vacuum)\b/.test(sql)) return sql.match(/\w+/g) ?? []
  const patterns = sql.startsWith('do ') ? [CHANGES, ALTERS] : [CHANGES]
  return patterns.flatMap((pattern) => [...sql.matchAll(pattern)].map(([, table = '']) => table))
}

function clausesFault(table: string, clauses: readonly string[], { isOutside, isOnly }: Context): string | null {
  for (const clause of clauses) {
    const found = CLAUSES.find(({ pattern }) => pattern.test(clause))
    if (found) return `${table}: ${found.advice}`
    if (clause.startsWith('validate constraint') && !isOutside && !(isOnly && clauses.length === 1))
      return `${table}: reads all rows under the locks of the statements beside it: validate in a migration of its own`
  }
  return null
}

/** Splits at commas that stand outside parentheses. */
function partsOf(clauses: string): readonly string[] {
  let depth = 0
  let parts = ['']
  for (const char of clauses) {
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    if (char === ',' && depth === 0) parts = [...parts, '']
    else parts[parts.length - 1] += char
  }
  return parts.map((part) => part.trim())
}

function indexFault(
  { name, table, isConcurrent }: { readonly name: string; readonly table: string; readonly isConcurrent: boolean },
  { isOutside, before }: Context,
): string | null {
  if (table === 'runs') return 'runs has partitions: build the index on each of them concurrently, and attach it'
  if (!isConcurrent || !isOutside)
    return `${table}: writes wait while the index is built: begin the file with "${OUTSIDE}", and write concurrently`
  if (name === '') return `${table}: an interrupted index stays, and is invalid: name it, and drop it first`
  if (before === `drop index concurrently if exists ${name}`) return null
  return `${table}: an interrupted index stays, and is invalid: drop index concurrently if exists ${name} first`
}
