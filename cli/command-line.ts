import { Command, InvalidArgumentError } from 'commander'
import type { ConfigFlags } from './boot/parts/config-folder.ts'
import type { OperatorFlags } from './boot/roles/start-operator-parts.ts'
import { RULE_OPTIONS, type CheckOptions } from './check/options.ts'
import type { SearchOptions } from './check/run-search.ts'
import { addImport, addTemplates, addValidate } from './manifest-commands.ts'
import { addOutputOptions } from './output-options.ts'
import { type OutputOptions, whenUnread } from './output.ts'
import { commanderOf } from './remote/remote-command.ts'
import { REMOTE_COMMANDS } from './remote/remote-commands.ts'

/**
 * The command line: names, descriptions, options and examples. The code of a command is loaded when the command runs,
 * so that `--help` and `--version` answer at once.
 */
export function commandLine(version: string): Command {
  const program = new Command('tidemark')
    .description('Watches web pages, JSON APIs and feeds on a schedule, and delivers the changes.')
    .version(version)
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(tidemark --help shows the commands)')
  for (const add of [
    addServe,
    addApi,
    addWorker,
    addRunner,
    addBrowser,
    addOperator,
    addMigrate,
    addAdmin,
    addCheck,
    addClusterSecret,
    addSmokeTest,
    addImport,
    addTemplates,
    addValidate,
  ])
    add(program)
  for (const command of program.commands) addOutput(command)
  for (const command of REMOTE_COMMANDS) program.addCommand(commanderOf(command, wholeCommandLine))
  pointToHelp(program, 'tidemark')
  return program
}

async function wholeCommandLine(): Promise<Command> {
  const program = commandLine('')
  await loadCommands(program, Object.keys(WITH_COMMANDS))
  return program
}

/** Lets each command below one say, after an error of its command line, which help shows what it takes. */
function pointToHelp(command: Command, path: string): void {
  for (const below of command.commands) {
    const own = `${path} ${below.name()}`
    const what = below.commands.length > 0 && below.options.length === 0 ? 'commands' : 'options'
    below.showHelpAfterError(`(${own} --help shows the ${what})`)
    pointToHelp(below, own)
  }
}

/** These only read, and end when nobody reads their output. A command that changes something is completed. */
const READERS: ReadonlySet<string> = new Set(['check', 'serp', 'import', 'templates', 'validate'])

/** Gives a command, and those below it, the options of what it prints. */
function addOutput(command: Command, before = ''): void {
  const words = `${before}${command.name()}`
  for (const below of command.commands) addOutput(below, `${words} `)
  // A command that only has others prints nothing.
  if (WITH_COMMANDS[words]) return
  // A process that runs until it is stopped has its own way with its log.
  if (addOutputOptions(command, words)) command.hook('preAction', () => whenUnread(!READERS.has(command.name())))
}

const EXAMPLES = `
Settings are environment variables; docs/settings.md lists them.

Examples:
  $ npm start                                             all of it, on http://127.0.0.1:8080
  $ PORT=9000 ./tidemark serve                            the same on another port
  $ DATABASE_URL=postgres://… ./tidemark migrate          then: ./tidemark api, ./tidemark worker, as many as you like
  $ ./tidemark admin create-owner --email me@example.com  an account with a team and an API key
  $ ./tidemark check https://example.com/ --css title=h1  what would a run extract?
  $ ./tidemark login; ./tidemark get                      the monitors of a server, from any machine

Every command exits with 2 when its command line is not valid; docs/command-line.md has all exit codes.
`

const SERVE_HELP = `
A monitor that a manifest in the folder declares is changed and deleted there alone. docs/config-folder.md says more.

Examples:
  $ PORT=9000 TIDEMARK_ALLOW_PRIVATE_CIDRS=10.0.0.0/8 ./tidemark serve
  $ ./tidemark serve --config monitors/
  $ ./tidemark serve --config monitors/ --prune
`

const addServe = (program: Command) =>
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
    .action(async (flags: ConfigFlags) => (await import('./commands/serve.ts')).serve(flags))

const addApi = (program: Command) =>
  program
    .command('api')
    .description('Runs only the API, with the database of DATABASE_URL. Any number can run.')
    .addHelpText('after', '\nExample:\n  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… ./tidemark api\n')
    .action(async () => (await import('./commands/api.ts')).api())

const addWorker = (program: Command) =>
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
when its token is refused.

Example:
  $ TIDEMARK_RUNNER_TOKEN=$(./tidemark admin create-runner-token --job my-runner --json | jq -r .token)
  $ export TIDEMARK_RUNNER_TOKEN; TIDEMARK_RUNNER_API_URL=http://127.0.0.1:8081 ./tidemark runner
`

const addRunner = (program: Command) =>
  program
    .command('runner')
    .description(
      'Renders pages and takes pictures for workers, which it contacts over HTTP. Any number can run. Health and ' +
        'metrics are served on TIDEMARK_METRICS_PORT when it is set.',
    )
    .addHelpText('after', RUNNER_HELP)
    .action(async () => (await import('./commands/runner.ts')).runner())

const addBrowser = (program: Command) =>
  program
    .command('browser')
    .description(
      'Starts browsers for the runner of the same pod, in a container of its own without the token. It listens on ' +
        'TIDEMARK_BROWSER_SOCKET, which the runner has too.',
    )
    .addHelpText('after', '\nExample:\n  $ TIDEMARK_BROWSER_SOCKET=/run/browser/socket ./tidemark browser\n')
    .action(async () => (await import('./commands/browser.ts')).browser())

const OPERATOR_HELP = `
It needs the database of a running Tidemark, and access to a cluster. A namespace belongs to the team that its label
tidemark.dev/team names; --default-team is for the listed namespaces without it. Several operators may run: one leads,
the others wait.

Examples:
  $ kubectl apply --server-side -f crds/
  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… ./tidemark operator --default-team <id of a team>
  $ kubectl label namespace shop tidemark.dev/team=<id of a team>
`

const addOperator = (program: Command) =>
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
    .action(async (flags: OperatorFlags) => (await import('./commands/operator.ts')).operator(flags))

const MIGRATE_HELP = `
A database that a newer version has migrated stays as it is: this version works with it.

Example:
  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… ./tidemark migrate --wait 60
`

const addMigrate = (program: Command) =>
  program
    .command('migrate')
    .description('Migrates the database to the schema of this version. Safe to run again, and several times at once.')
    .option('--wait <seconds>', 'how long to wait for a database that does not answer yet', seconds, 0)
    .addHelpText('after', MIGRATE_HELP)
    .action(async (flags: OutputOptions & { readonly wait: number }) =>
      (await import('./commands/migrate.ts')).migrate(flags.wait * 1_000, flags),
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

function seconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds, at most 9999')
  return Number(text)
}

function pause(text: string): number {
  const chosen = seconds(text)
  if (chosen === 0) throw new InvalidArgumentError('must be a whole number of seconds from 1 to 9999')
  return chosen
}

const addClusterSecret = (program: Command) =>
  program
    .command('cluster-secret')
    .description('Makes Secrets of a cluster that an installation there needs once. The Helm chart runs it.')

const SMOKE_TEST_HELP = `
It reads TIDEMARK_URL, the address of the API, and TIDEMARK_API_KEY, a key that may write.

Example:
  $ TIDEMARK_URL=http://127.0.0.1:8080 TIDEMARK_API_KEY=… ./tidemark smoke-test
`

const addSmokeTest = (program: Command) =>
  program
    .command('smoke-test')
    .description('Makes a monitor through the API of a server, reads it, and deletes it. helm test runs it.')
    .addHelpText('after', SMOKE_TEST_HELP)
    .action(async (flags: OutputOptions) => {
      const { TIDEMARK_URL: url, TIDEMARK_API_KEY: key } = process.env
      await (await import('./commands/smoke-test.ts')).smokeTest(url, key, flags)
    })

const addAdmin = (program: Command) =>
  program
    .command('admin')
    .description('Accounts, keys and plans of this installation, for its operator. The server may run meanwhile.')

/** Commands whose own commands need the definitions of plans and the store to be described. */
const WITH_COMMANDS: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  admin: async () => (await import('./commands/admin.ts')).adminCommands(),
  'cluster-secret': async () => (await import('./commands/cluster-secret.ts')).clusterSecretCommands(),
}

/** Adds the commands of those commands that the arguments name. Call it before the arguments are parsed. */
export async function loadCommands(program: Command, words: readonly string[]): Promise<void> {
  for (const parent of program.commands) {
    const load = words.includes(parent.name()) ? WITH_COMMANDS[parent.name()] : undefined
    for (const command of (await load?.()) ?? []) {
      addOutput(command, `${parent.name()} `)
      parent.addCommand(command)
    }
  }
  pointToHelp(program, 'tidemark')
}

const CHECK_HELP = `
A target is an http:// or https:// address, a file, or - for standard input. An address is fetched as in a run. A
private address needs TIDEMARK_ALLOW_PRIVATE_CIDRS. Nothing is stored or compared, and no server is needed. A check from
the command line belongs to no team, so client certificates are not shown; POST /v1/monitors/preview shows them. With
--json, each target is a line.

Exits with 0 when every check was a success and every field had a match, 1 when not, 2 when the command line is not
valid.

Examples:
  $ ./tidemark check https://example.com/ --css title=h1 --css 'link=main a'
  $ ./tidemark check https://shop.example/item --browser --css price=.price
  $ ./tidemark check page.html --xpath 'price=//meta[@itemprop="price"]/@content'
  $ curl -s https://example.com/api | ./tidemark check - --json-path 'version=$.data.version'
  $ ./tidemark check --template feed-new-item https://news.example.com/feed.xml
  $ ./tidemark check --monitor monitor.json              a body of POST /v1/monitors, validated as in the API
  $ ./tidemark check --monitor monitor.json saved.html   the same on another page
  $ ./tidemark check --monitor monitors/ --name kettle   a manifest of a folder
  $ ./tidemark check --watch --monitor monitor.json saved.html   again whenever one of the two files is written
  $ ./tidemark check serp "running shoes"               the results of a search engine (check serp --help)
`

const addCheck = (program: Command) => {
  const command = program
    .command('check')
    .description('Shows what a run would extract from an address or a file. Needs no server and no database.')
    .argument('[targets...]', 'addresses, files, or -')
  for (const { option, what, example } of RULE_OPTIONS)
    command.option(`${option} <name=rule>`, `a field by ${what}, as in ${example}; can be repeated`, collect)
  command
    .option('--full-page', 'hash the whole answer (the default)')
    .option('--template <slug>', 'extract as a template does')
    .option('--monitor <file>', 'extract as a monitor does: a manifest, or a body of POST /v1/monitors as JSON')
    .option('--name <name>', 'the manifest of this name, or namespace/name, of a --monitor or its folder')
    .option('--header <name: value>', 'request header to send; can be repeated', collect)
    .option('--browser', 'render all pages, as fetch_mode browser does; without it only pages that seem to need it')
    .option('--wait-for <selector>', 'render the page, and read it once an element matches this CSS selector')
    .option('--watch', 'check again when a file changes, and addresses at intervals; show what differs, until Ctrl-C')
    .option('--every <seconds>', 'with --watch: seconds between two checks of addresses', pause, 60)
    .addHelpText('after', CHECK_HELP)
    .action(async (targets: readonly string[], options: CheckOptions) => {
      const { check } = await import('./commands/check.ts')
      const fault = await check(targets, options)
      if (fault !== null) command.error(`tidemark check: ${fault}`)
    })
  addCheckSerp(command)
}

const SERP_HELP = `
The keyword is rendered in a browser as on the device, later pages in the same session through the engine's own link.
Engines refuse many addresses of data centres; that is the result then, and asking again at once makes it worse.

Exits with 0 when there are results or the engine has none, 1 when not, 2 when the command line is not valid.

Examples:
  $ ./tidemark check serp "running shoes"
  $ ./tidemark check serp "laufschuhe" --engine bing --country de --language de --pages 3
  $ ./tidemark check serp "running shoes" --target example.com --json
`

const addCheckSerp = (check: Command) =>
  check
    .command('serp')
    .description('Shows the results of a search engine for a keyword.')
    .argument('<keyword>', 'what is searched for')
    .option('--engine <name>', 'google, bing, yahoo, duckduckgo or yandex', 'google')
    .option('--country <code>', 'country of the search, two letters', 'us')
    .option('--language <code>', 'language of the search, two letters', 'en')
    .option('--device <kind>', 'desktop or mobile', 'desktop')
    .option('--pages <number>', 'pages of results, 1 to 5', '1')
    .option('--target <domain>', 'mark the first result of this domain or address')
    .addHelpText('after', SERP_HELP)
    .action(async (keyword: string, _: unknown, command: Command) => {
      const { checkSerp } = await import('./commands/check.ts')
      const fault = await checkSerp(keyword, command.optsWithGlobals<SearchOptions>())
      if (fault !== null) command.error(`tidemark check serp: ${fault}`)
    })

const collect = (text: string, before: readonly string[] = []) => [...before, text]
