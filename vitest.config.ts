import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { TallyReporter } from './test/support/tally-reporter.ts'
import { systemPostgres } from './test/support/test-server.ts'

const ci = process.env['CI'] === 'true'

const main: TestProjectConfiguration = {
  extends: true,
  test: { name: 'main', include: ['test/**/*.test.ts'] },
}

// The oldest Postgres that we say we support: what speaks SQL runs once more on it.
const oldest: TestProjectConfiguration = {
  extends: true,
  test: { name: 'postgres 15', include: ['test/store/**/*.test.ts'] },
}

function projects(): TestProjectConfiguration[] {
  if (systemPostgres(15) !== null) return [main, oldest]
  const line = 'skipped: the store on Postgres 15: install postgresql-15'
  if (ci) throw new Error(`${line} (CI must not skip)`)
  process.stdout.write(`${line}\n`)
  return [main]
}

export default defineConfig({
  test: {
    projects: projects(),
    globalSetup: ['test/support/postgres-setup.ts'],
    reporters: ci ? ['default', 'hanging-process', new TallyReporter()] : ['default'],
    // What hangs is told of; what is only slow, on a busy machine, is waited for. No test measures time by it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // Measured on the first 900 tests: 21 s of processor time, 30 s when every file gets a process of its own, the same
    // with threads. A process and not a thread, because some tests kill, and a file that ends its thread takes the
    // runner with it.
    pool: 'forks',
    isolate: false,
    // One fewer than there are processors is what it would take; but half of a test is waiting for Postgres, a browser
    // or a process.
    maxWorkers: availableParallelism() + 1,
    setupFiles: ['test/support/leak-guard.ts'],
    experimental: { viteModuleRunner: false },
  },
})
