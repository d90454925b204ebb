import { defineConfig } from 'vitest/config'
import { TallyReporter } from '../support/run/tally-reporter.ts'

/** Of the hostile sites, those whose tests judge no time. */
export const UNTIMED = ['memory', 'kept-sockets', 'browser-contacts'].map((name) => `test/hostile/${name}.fault.ts`)

/**
 * `npm run faults`: apart from `npm test`, because killing takes time. Most of it is waiting, so a few files go side by
 * side, each on a database of its own.
 */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/faults/**/*.fault.ts', ...UNTIMED],
    globalSetup: ['test/support/database/postgres-setup.ts'],
    reporters: ['default', 'hanging-process', new TallyReporter()],
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 90_000,
    teardownTimeout: 30_000,
    pool: 'forks',
    setupFiles: ['test/support/run/leak-guard.ts'],
    experimental: { viteModuleRunner: false },
  },
})
