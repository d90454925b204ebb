import { defineConfig } from 'vitest/config'
import { TallyReporter } from '../support/tally-reporter.ts'

/** `npm run faults`: apart from `npm test`, because killing takes time. One file after the other: each has processes enough. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/faults/**/*.fault.ts'],
    globalSetup: ['test/support/postgres-setup.ts'],
    reporters: ['default', 'hanging-process', new TallyReporter()],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 90_000,
    teardownTimeout: 30_000,
    pool: 'forks',
    setupFiles: ['test/support/leak-guard.ts'],
    experimental: { viteModuleRunner: false },
  },
})
