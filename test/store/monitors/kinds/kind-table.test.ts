import { expect, test } from 'vitest'
import type { KindTable } from '../../../../store/monitors/kinds/kind-table.ts'
import { countedNames } from '../../../../store/monitors/kinds/own-columns.ts'
import { PAGE_TABLE } from '../../../../store/monitors/kinds/page-table.ts'
import { SEARCH_TABLE } from '../../../../store/monitors/kinds/search-table.ts'
import { openQueueDatabase } from '../../../support/database/queue-database.ts'
import { shared } from '../../../support/run/shared.ts'

const database = shared(openQueueDatabase)

const TABLES: readonly KindTable[] = [PAGE_TABLE, SEARCH_TABLE]
const OWN = TABLES.flatMap(({ own }) => Object.entries(own))
/** What a configuration of any kind has that may be large. */
const SHARED = ['name', 'external_key', 'labels', 'request_headers', 'deliveries']

test('each column of a kind has the type that the database gives it', async () => {
  const columns = await database.query<{ name: string; type: string }>(
    `select attname as name, atttypid::regtype::text as type from pg_attribute
     where attrelid = 'monitors'::regclass and attname = any($1)`,
    [OWN.map(([name]) => name)],
  )
  const names = { int2: 'smallint', int4: 'integer', text: 'text', json: 'json' } as const
  expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toEqual(
    Object.fromEntries(OWN.map(([name, { type }]) => [name, names[type]])),
  )
})

test('the bytes of a configuration are those of the columns that the database counts', async () => {
  const [{ counted } = { counted: '' }] = await database.query<{ counted: string }>(
    `select pg_get_expr(adbin, adrelid) as counted from pg_attrdef
     join pg_attribute a on a.attrelid = adrelid and a.attnum = adnum
     where adrelid = 'monitors'::regclass and a.attname = 'configuration_bytes'`,
  )
  const names = [...counted.matchAll(/[a-z_]+/g)].map(([name]) => name)
  const words = ['configuration_bytes', 'array', 'text', 'bytea']
  expect([...new Set(names)].filter((name) => !words.includes(name)).toSorted()).toEqual(
    [...SHARED, ...TABLES.flatMap(({ own }) => countedNames(own))].toSorted(),
  )
})
