import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, MigrationDiffersError, migrationState } from '../../../store/db/migrate.ts'
import { createEmptyDatabase } from '../../support/database/test-database.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { describeIf } from '../../support/run/skip.ts'
import { schemaOf } from './schema-of.ts'

/** The last commit before the migrations were joined. */
const COMMIT = 'c7176ab298'
const ROOT = join(import.meta.dirname, '../../..')

const run = promisify(execFile)
const hasHistory = await run('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: ROOT }).then(
  () => true,
  () => false,
)

async function connectedTo(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

describeIf(hasHistory, 'fetch the history of the repository', { isBeyondCi: true })(
  'A database that the migrations from before 0.1.0 made',
  () => {
    let files: Awaited<ReturnType<typeof temporaryFolder>>
    let folder: URL
    beforeAll(async () => {
      files = await temporaryFolder()
      const unpack = `git archive ${COMMIT} store/migrations | tar -x -C "$1"`
      await run('bash', ['-ec', unpack, 'bash', files.path], { cwd: ROOT })
      folder = pathToFileURL(join(files.path, 'store/migrations/'))
    })
    afterAll(() => files[Symbol.asyncDispose]())

    /** A database of that time, with a connection to it. */
    async function former() {
      const database = await createEmptyDatabase()
      const applied = await migrate(database.url, { folder })
      const client = await connectedTo(database.url)
      return {
        ...{ url: database.url, client, applied },
        query: async (text: string) => (await client.query<Record<string, unknown>>(text)).rows,
        async [Symbol.asyncDispose]() {
          await client.end()
          await database.drop()
        },
      }
    }

    test('becomes one of this version, with its rows and exactly the schema of a new one', async () => {
      await using old = await former()
      const [team] = await old.query(
        `insert into teams (name, owner_user_id, tier) values ('kept', gen_random_uuid(), 'free') returning id`,
      )
      expect((await migrationState(old.client)).others).toBe(null)
      const steps: string[] = []
      await migrate(old.url, { progress: (step) => steps.push(step) })
      const fresh = await createEmptyDatabase()
      await migrate(fresh.url)
      const client = await connectedTo(fresh.url)
      const wanted = await schemaOf(client)
      expect(await schemaOf(old.client)).toEqual(wanted)
      expect(Object.keys(wanted).filter((part) => wanted[part]?.length === 0)).toEqual(['comments'])
      const names = 'select name, checksum from migrations order by name'
      expect(await old.query(names)).toEqual((await client.query(names)).rows)
      expect(await old.query('select id from teams')).toEqual([team])
      expect(await migrationState(old.client)).toEqual({ missing: [], others: null })
      await client.end()
      await fresh.drop()
    })

    test('is refused where the last ones are missing, with the commit that adds them, and stays as it is', async () => {
      await using old = await former()
      await old.query(`delete from migrations where name >= '000037'`)
      const before = await old.query('select * from migrations order by name')
      await expect(migrate(old.url)).rejects.toThrow(MigrationDiffersError)
      await expect(migrate(old.url)).rejects.toThrow(
        'was made by a commit before 0.1.0, and lacks 2 of the last migrations of that time, ' +
          `from 000037-mute.sql on: start commit ${COMMIT} on it once and then this version, or use a new database`,
      )
      expect(await old.query('select * from migrations order by name')).toEqual(before)
    })

    test('is refused where it has one that was never on main', async () => {
      await using old = await former()
      await old.query(`insert into migrations (name, checksum) values ('000039-of-a-branch.sql', 'x')`)
      await expect(migrate(old.url)).rejects.toThrow(
        'had 000039-of-a-branch.sql, which this version does not know: use a new database',
      )
    })
  },
)
