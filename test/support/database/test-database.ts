import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { inject } from 'vitest'
import { freshName, runOn, withDatabase } from './test-template.ts'

/** What the run's setup tells its test files about the server. */
export type PostgresState = { ok: true; url: string; template: string } | { ok: false; message: string }

declare module 'vitest' {
  interface ProvidedContext {
    /** The file that holds a `PostgresState` as soon as the server is ready, or has failed to start. */
    postgresState: string
  }
}

export interface TestDatabase {
  /** A superuser's, in a migrated database that nobody else uses. */
  url: string
  /** Closes what is still connected to it. */
  drop(): Promise<void>
}

const LOOK_EVERY_MS = 10
const PATIENCE_MS = 60_000

/**
 * Clones the migrated template: one call a test file (in `beforeAll`) is the rule, drop it in `afterAll`. Copying files
 * takes some 40 ms of processor time; the default strategy, which logs every page, takes 130 ms.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, template } = await serverState()
  const name = freshName('test')
  await runOn(url, `create database ${name} template ${template} strategy file_copy`)
  return { url: withDatabase(url, name), drop: () => runOn(url, `drop database ${name} with (force)`) }
}

/** An empty database without our tables, for tests of migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const { url } = await serverState()
  const name = freshName('empty')
  await runOn(url, `create database ${name} template template0`)
  return { url: withDatabase(url, name), drop: () => runOn(url, `drop database ${name} with (force)`) }
}

async function serverState(): Promise<Extract<PostgresState, { ok: true }>> {
  const file = inject('postgresState')
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text === null) {
      await pause(LOOK_EVERY_MS)
      continue
    }
    const state: PostgresState = JSON.parse(text)
    if (state.ok) return state
    throw new Error(`the test server did not start: ${state.message}`)
  }
  throw new Error('the test server did not start in a minute')
}
