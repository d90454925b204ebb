import { defineConfig } from 'vitest/config'
import { TallyReporter } from '../support/run/tally-reporter.ts'

/** `npm run test:failover`: a primary that dies again and again takes a quarter of an hour. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/failover/*.failover.ts'],
    reporters: ['default', 'hanging-process', new TallyReporter()],
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    pool: 'forks',
    experimental: { viteModuleRunner: false },
  },
})
