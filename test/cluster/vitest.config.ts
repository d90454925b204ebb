import { defineConfig } from 'vitest/config'
import { TallyReporter } from '../support/tally-reporter.ts'

/**
 * `npm run test:cluster`: the chart and the images in a whole cluster. Its files take turns, because each installs a
 * release of the same name.
 */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/cluster/**/*.cluster.ts'],
    globalSetup: ['test/cluster/cluster-setup.ts'],
    reporters: ['verbose', 'hanging-process', new TallyReporter()],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    pool: 'forks',
    setupFiles: ['test/support/leak-guard.ts'],
    experimental: { viteModuleRunner: false },
  },
})
