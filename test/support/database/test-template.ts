import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../../../store/db/migrate.ts'

/** The address of another database of the same server. */
export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Runs one statement on a connection of its own; `create database` and its like allow no transaction around them. */
export async function runOn(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A name that no other run on the same server uses. */
export function freshName(purpose: string): string {
  return `tidemark_${purpose}_${randomBytes(6).toString('hex')}`
}

/** Makes a database with all migrations applied, to be cloned. Returns its name. */
export async function makeTemplate(serverUrl: string): Promise<string> {
  const name = freshName('template')
  await runOn(serverUrl, `create database ${name} template template0 encoding 'UTF8'`)
  await migrate(withDatabase(serverUrl, name))
  return name
}
