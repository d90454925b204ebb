import { existsSync, globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { systemPostgres } from './test/support/database/test-server.ts'
import { SECOND_TRY } from './test/support/run/second-try.ts'
import { TallyReporter } from './test/support/run/tally-reporter.ts'

const ci = process.env['CI'] === 'true'

// Workers of tests start hundreds of threads, and each compiles what it loads: 185 ms of processor time for a thread
// that reads pages, and 105 ms with code that is compiled already. The processes of the tests inherit this.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/tests')

/**
 * What takes more processor time than all the other tests together. `npm test` has the first tests of each and leaves
 * the rest to `npm run test:all`. In `.ci/run` the two lists are in different parts: here, commands as separate
 * processes, pages that burn processor time, and requests and pages made at random.
 */
const PROCESSES = [
  'test/api/auth/account-pages-in-browser.test.ts',
  'test/api/http/{cost-of-routes,long-lists-memory}.test.ts',
  'test/api/manual/pages-in-browser.test.ts',
  'test/bench/set-up-size.test.ts',
  'test/cli/*.test.ts',
  'test/cli/remote/{apply,apply-faults,changes,deliveries,following,help-examples,hostile-server}.test.ts',
  'test/cli/remote/{many-deletions,more-commands,round-trip,shown-names,sign-in,states}.test.ts',
  'test/dashboard/{axe-walk,edit-more,kinds-of-pages,large-looks,look-by-runner,lost-looks}.test.ts',
  'test/dashboard/{monitor-screens,new-monitor-more,new-search,people-screens,telling}.test.ts',
  'test/docs/{code-blocks,newcomer,quickstart,readme}.test.ts',
  'test/e2e/{backup,services-page,watched-files}.test.ts',
  'test/examples/cookbook.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/hostile/**/*.test.ts',
  'test/package/*.test.ts',
  'test/platform/postgres/first-start.test.ts',
  'test/release/release.test.ts',
  'test/runners/browser/{browser-launcher,hostile,look-elements}.test.ts',
  'test/runners/extract/candidates/{large-pages,whole-corpus}.test.ts',
  'test/runners/extract/documents/hostile.test.ts',
  'test/runners/extract/html/differential.test.ts',
  'test/tools/ci/*.test.ts',
]
/** API servers of Kubernetes, the chart, the images, the bench. */
const KUBERNETES = [
  'test/bench/run-bench.test.ts',
  'test/charts/{chart,notes,rollback,value-families}.test.ts',
  'test/cli/{cluster-secret,local-examples}.test.ts',
  'test/crds/{never-less,parity}.test.ts',
  'test/e2e/every-service.test.ts',
  'test/images/*.test.ts',
  'test/operator/**/*.test.ts',
]
const FIRST = ['test/cli/serve.test.ts', 'test/operator/operator.test.ts', 'test/operator/reconcile/*.test.ts']
const first = globSync(FIRST)
const kubernetesFiles = globSync(KUBERNETES).filter((file) => !first.includes(file))
const processFiles = globSync(PROCESSES).filter((file) => ![...first, ...kubernetesFiles].includes(file))

/** `npm test`: each feature, with a real Postgres, browser and sockets. */
const main: TestProjectConfiguration = {
  extends: true,
  test: { name: 'main', include: ['test/**/*.test.ts'], exclude: [...processFiles, ...kubernetesFiles] },
}

const processes: TestProjectConfiguration = {
  extends: true,
  test: { name: 'processes', include: processFiles },
}

const kubernetes: TestProjectConfiguration = {
  extends: true,
  test: { name: 'kubernetes', include: kubernetesFiles },
}

/** The package for Pulumi, packed and installed into the folder of a program. */
const pulumi: TestProjectConfiguration = {
  extends: true,
  test: {
    name: 'pulumi',
    include: ['pulumi/test/**/*.test.ts'],
    globalSetup: ['test/support/database/postgres-setup.ts', 'pulumi/test/packed-package.ts'],
  },
}

// The oldest Postgres that we say we support: what speaks SQL runs once more on it.
const oldest: TestProjectConfiguration = {
  extends: true,
  test: { name: 'postgres 15', include: ['test/store/**/*.test.ts'] },
}

function projects(): TestProjectConfiguration[] {
  const found = [main, processes, kubernetes]
  const add = (project: TestProjectConfiguration, isThere: boolean, advice: string) => {
    if (isThere) return found.push(project)
    if (ci) throw new Error(`skipped: ${advice} (CI must not skip)`)
    return process.stdout.write(`skipped: ${advice}\n`)
  }
  add(oldest, systemPostgres(15) !== null, 'the store on Postgres 15: install postgresql-15')
  add(pulumi, existsSync('pulumi/node_modules'), 'the package for Pulumi: npm ci --prefix pulumi')
  return found
}

export default defineConfig({
  test: {
    projects: projects(),
    globalSetup: ['test/support/database/postgres-setup.ts'],
    reporters: ci ? ['default', 'hanging-process', new TallyReporter()] : ['default'],
    // By default a poll gives up after a second.
    expect: { poll: { timeout: 45_000, interval: 20 } },
    // A test that hangs is reported. One that is only slow, on a busy machine, is waited for.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    ...(ci && { retry: SECOND_TRY }),
    // Measured on the first 900 tests: 21 s of processor time, 30 s when every file gets its own process, the same with
    // threads. A process and not a thread, because some tests kill, and a file that ends its thread takes the runner
    // with it.
    pool: 'forks',
    isolate: false,
    // One fewer than there are processors is what it would take; but half of a test is waiting for Postgres, a browser
    // or a process.
    maxWorkers: availableParallelism() + 1,
    setupFiles: ['test/support/run/leak-guard.ts'],
    experimental: { viteModuleRunner: false },
  },
})
