import { type Command, InvalidArgumentError } from 'commander'
import type { ConfigFlags } from '../boot/parts/config-folder.ts'
import type { OperatorFlags } from '../boot/roles/start-operator-parts.ts'
import type { ProcessIo } from '../platform/process-io.ts'
import { seconds } from './argument-readers.ts'
import type { OutputOptions } from './output.ts'

const SERVE_HELP = `
A monitor that a manifest in the folder declares is changed and deleted there alone. docs/config-folder.md says more.

Examples:
  $ PORT=9000 TIDEMARK_ALLOW_PRIVATE_CIDRS=10.0.0.0/8 ./tidemark serve
  $ ./tidemark serve --config monitors/
  $ ./tidemark serve --config monitors/ --prune
`

export const addServe = (io: ProcessIo, program: Command) =>
  program
    .command('serve')
    .description(
      'Runs everything in one process: migrations, API, checks and deliveries; with an embedded Postgres unless ' +
        'DATABASE_URL is set.',
    )
    .option('--config <folder>', 'apply the manifests of this folder, now and when they change')
    .option('--config-team <id>', 'the team that they belong to (default: the first one of the installation)')
    .option('--prune', 'delete monitors whose manifests are gone from this folder, where they are few')
    .addHelpText('after', SERVE_HELP)
    .action(async (flags: ConfigFlags) => (await import('./commands/serve.ts')).serve(io, flags))

export const addApi = (_: ProcessIo, program: Command) =>
  program
    .command('api')
    .description('Runs only the API, with the database of DATABASE_URL. Any number can run.')
    .addHelpText('after', '\nExample:\n  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… ./tidemark api\n')
    .action(async () => (await import('./commands/api.ts')).api())

export const addWorker = (_: ProcessIo, program: Command) =>
  program
    .command('worker')
    .description(
      'Runs checks and deliveries, with the database of DATABASE_URL. Any number can run. Health and metrics are ' +
        'served on TIDEMARK_METRICS_PORT when it is set.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… TIDEMARK_METRICS_PORT=9100 ' +
        './tidemark worker\n',
    )
    .action(async () => (await import('./commands/worker.ts')).worker())

const RUNNER_HELP = `
It needs a worker that has TIDEMARK_RUNNER_API_PORT, and no database: DATABASE_URL and TIDEMARK_ENCRYPTION_KEY must
not be in its environment.

Exits with 0 after SIGTERM, after TIDEMARK_RUNNER_IDLE_SECONDS without work, and before its token expires; with 77
when its token is refused. A token that was made with --renew does not expire while the runner runs.

Example:
  $ TIDEMARK_RUNNER_TOKEN=$(./tidemark admin create-runner-token --job my-runner --json | jq -r .token)
  $ export TIDEMARK_RUNNER_TOKEN; TIDEMARK_RUNNER_API_URL=http://127.0.0.1:8081 ./tidemark runner
`

export const addRunner = (io: ProcessIo, program: Command) =>
  program
    .command('runner')
    .description(
      'Renders pages and takes pictures for workers, which it contacts over HTTP. Any number can run. Health and ' +
        'metrics are served on TIDEMARK_METRICS_PORT when it is set.',
    )
    .addHelpText('after', RUNNER_HELP)
    .action(async () => (await import('./commands/runner.ts')).runner(io))

export const addBrowser = (io: ProcessIo, program: Command) =>
  program
    .command('browser')
    .description(
      'Starts browsers for the runner of the same pod, in a container of its own without the token. It listens on ' +
        'TIDEMARK_BROWSER_SOCKET, which the runner has too.',
    )
    .addHelpText('after', '\nExample:\n  $ TIDEMARK_BROWSER_SOCKET=/run/browser/socket ./tidemark browser\n')
    .action(async () => (await import('./commands/browser.ts')).browser(io))

const OPERATOR_HELP = `
It needs the database of a running Tidemark, and access to a cluster. A namespace belongs to the team that its label
tidemark.dev/team names; --default-team is for the listed namespaces without it. Several operators may run: one leads,
the others wait.

Examples:
  $ kubectl apply --server-side -f crds/
  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… ./tidemark operator --default-team <id of a team>
  $ kubectl label namespace shop tidemark.dev/team=<id of a team>
`

export const addOperator = (io: ProcessIo, program: Command) =>
  program
    .command('operator')
    .description(
      'Keeps the monitors of the database in line with the custom resources of a cluster, from a pod or a laptop. ' +
        'Health and metrics are served on TIDEMARK_METRICS_PORT when it is set.',
    )
    .option('--kubeconfig <file>', 'the cluster and the credentials (default: $KUBECONFIG, ~/.kube/config, or the pod)')
    .option('--default-team <id>', 'the team of resources in namespaces without the label', teamId)
    .option('--namespace <names...>', 'the namespaces that --default-team holds in (default: that of the context)')
    .option('--own-secrets <names...>', 'the Secrets of the installation, which no resource may read')
    .option(
      '--read-unlabelled-secrets',
      'let resources read Secrets without the label tidemark.dev/monitors=true, except in the namespace of the context',
      false,
    )
    .option('--metrics-per-resource', 'add a metric for each resource, with its name: tidemark_resource_ready', false)
    .option('--strip-finalizers', 'remove the finalizers of all resources, before an uninstall, and end', false)
    .option(
      '--cluster-id <id>',
      'take over the records of this cluster, which was rebuilt (admin list-clusters)',
      clusterId,
    )
    .addHelpText('after', OPERATOR_HELP)
    .action(async (flags: OperatorFlags) => (await import('./commands/operator.ts')).operator(io, flags))

const MIGRATE_HELP = `
A database that a newer version has migrated stays as it is: this version works with it.

Example:
  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… ./tidemark migrate --wait 60
`

export const addMigrate = (io: ProcessIo, program: Command) =>
  program
    .command('migrate')
    .description('Migrates the database to the schema of this version. Safe to run again, and several times at once.')
    .option('--wait <seconds>', 'how long to wait for a database that does not answer yet', seconds, 0)
    .addHelpText('after', MIGRATE_HELP)
    .action(async (flags: OutputOptions & { readonly wait: number }) =>
      (await import('./commands/migrate.ts')).migrate(io, flags.wait * 1_000, flags),
    )

function clusterId(text: string): string {
  // Manifests in a folder have it in place of a cluster.
  if (text !== 'file') return text
  throw new InvalidArgumentError(
    'must be the id of a cluster; `file` stands for the folder of `tidemark serve --config`',
  )
}

function teamId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('must be the id of a team, a UUID; GET /v1/team shows it')
}
