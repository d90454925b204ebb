import { basename } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { TallyReporter } from '../support/run/tally-reporter.ts'

/** The first of these that runs installs the release that all share, and the last removes it. */
const ORDER = ['install', 'whole', 'browser', 'faults', 'uninstall']

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => ORDER.indexOf(basename(moduleId, '.cluster.ts'))
    return files.toSorted((one, other) => place(one) - place(other))
  }
}

/**
 * `npm run test:cluster`: the chart and the images in a whole cluster. Its files take turns with one release. What a
 * run of single files leaves in a cluster, the next run removes.
 */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/cluster/**/*.cluster.ts'],
    globalSetup: ['test/cluster/cluster-setup.ts'],
    reporters: ['verbose', 'hanging-process', new TallyReporter()],
    fileParallelism: false,
    sequence: { sequencer: InOrder },
    testTimeout: 300_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    pool: 'forks',
    setupFiles: ['test/support/run/leak-guard.ts'],
    experimental: { viteModuleRunner: false },
  },
})
