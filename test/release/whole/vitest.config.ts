import { defineConfig } from 'vitest/config'
import { TallyReporter } from '../../support/run/tally-reporter.ts'

/** `npm run test:release`: a whole release is made, published to local registries, and installed from there. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../..`,
    include: ['test/release/whole/**/*.release.ts'],
    reporters: ['default', 'hanging-process', new TallyReporter()],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 1_800_000,
    teardownTimeout: 30_000,
    pool: 'forks',
    experimental: { viteModuleRunner: false },
  },
})
