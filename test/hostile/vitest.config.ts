import { defineConfig } from 'vitest/config'
import { UNTIMED } from '../faults/vitest.config.ts'
import { TallyReporter } from '../support/run/tally-reporter.ts'

/** `npm run test:hostile`: lateness is measured with nothing else of ours beside it. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/hostile/**/*.fault.ts'],
    exclude: UNTIMED,
    globalSetup: ['test/support/database/postgres-setup.ts'],
    reporters: ['default', 'hanging-process', new TallyReporter()],
    fileParallelism: false,
    testTimeout: 480_000,
    hookTimeout: 90_000,
    teardownTimeout: 30_000,
    pool: 'forks',
    setupFiles: ['test/support/run/leak-guard.ts'],
    experimental: { viteModuleRunner: false },
  },
})
