import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { PostgresState } from './test-database.ts'
import { startTestServer, systemPostgres, TEST_FOLDER_PREFIX, type TestServer } from './test-server.ts'
import { makeTemplate, runOn } from './test-template.ts'

/**
 * One Postgres for the whole run (vitest's globalSetup). It starts beside the first test files, not before them: what
 * needs no database does not wait for one, and `createTestDatabase` waits for the file written here.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), `${TEST_FOLDER_PREFIX}${process.pid}-run-`))
  const stateFile = join(folder, 'state.json')
  project.provide('postgresState', stateFile)
  const major = /\d+$/.exec(project.name)?.[0]
  const running = openServer(major === undefined ? null : Number(major))
  const written = running.then(
    ({ state }) => publish(stateFile, state),
    (error: unknown) =>
      publish(stateFile, { ok: false, message: error instanceof Error ? error.message : String(error) }),
  )
  return async () => {
    await written
    await running.then(
      ({ close }) => close(),
      () => undefined,
    )
    await rm(folder, { recursive: true, force: true })
  }
}

interface Running {
  state: PostgresState
  close(): Promise<void>
}

async function openServer(major: number | null): Promise<Running> {
  const given = process.env['TIDEMARK_TEST_DATABASE_URL']
  if (given !== undefined && major === null) {
    const template = await makeTemplate(given)
    return {
      state: { ok: true, url: given, template },
      close: () => runOn(given, `drop database ${template} with (force)`),
    }
  }
  const server = await startServer(major)
  try {
    return { state: { ok: true, url: server.url, template: await makeTemplate(server.url) }, close: server.stop }
  } catch (error) {
    await server.stop()
    throw error
  }
}

function startServer(major: number | null): Promise<TestServer> {
  if (major === null) return startTestServer()
  const binaries = systemPostgres(major)
  if (binaries === null) throw new Error(`Postgres ${major} is not installed: install Debian's postgresql-${major}`)
  return startTestServer(binaries)
}

// Appears complete or not at all.
async function publish(path: string, state: PostgresState): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(state))
  await rename(`${path}.new`, path)
}
