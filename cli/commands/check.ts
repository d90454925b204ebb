import { Command } from 'commander'
import { createLogger } from '../../core/logger.ts'
import { browsersOf } from '../boot/parts/browsers.ts'
import { configurationOf } from '../check/configuration.ts'
import { type CheckOptions, RULE_OPTIONS } from '../check/options.ts'
import { type CheckOutput, runCheck } from '../check/run-check.ts'
import { UsageError } from '../check/usage-error.ts'
import { egressPolicy } from '../boot/parts/egress.ts'
import { promptsOf } from '../boot/parts/model.ts'
import { readSettings } from '../boot/settings/read-config.ts'

const EXAMPLES = `
A target is an http:// or https:// address, a file, or - for standard input. An address is fetched as in a run. A
private address needs TIDEMARK_ALLOW_PRIVATE_CIDRS. Nothing is stored or compared, and no server is needed.

Exits with 0 when every check was a success and every field had a match, 1 when not, 2 when the command line is not
valid.

Examples:
  $ npx tidemark check https://example.com/ --css title=h1 --css 'link=main a'
  $ npx tidemark check https://shop.example/item --browser --css price=.price
  $ npx tidemark check page.html --xpath 'price=//meta[@itemprop="price"]/@content'
  $ curl -s https://example.com/api | npx tidemark check - --json-path 'version=$.data.version'
  $ npx tidemark check --template feed-new-item https://news.example.com/feed.xml
  $ npx tidemark check --monitor monitor.json            a body of POST /v1/monitors, validated as in the API
  $ npx tidemark check --monitor monitor.json saved.html the same on another page
`

/** The command `tidemark check`. It shows what a run would extract, without a server. */
export const checkCommand = () => {
  const command = new Command('check')
    .description('Shows what a run would extract from an address or a file. Needs no server and no database.')
    .argument('[targets...]', 'addresses, files, or -')
  for (const { option, what, example } of RULE_OPTIONS)
    command.option(`${option} <name=rule>`, `a field by ${what}, as in ${example}; can be repeated`, collect)
  return (
    command
      .option('--full-page', 'hash the whole answer (the default)')
      .option('--template <slug>', 'extract as a template does')
      .option('--monitor <file>', 'extract as a monitor does: a body of POST /v1/monitors as JSON')
      .option('--header <name: value>', 'request header to send; can be repeated', collect)
      .option('--browser', 'render all pages, as fetch_mode browser does; without it only pages that seem to need it')
      .option('--json', 'print one line of JSON for each target')
      .addHelpText('after', EXAMPLES)
      .showHelpAfterError('(tidemark check --help shows the options)')
      // An invalid command line exits with 2; commander would exit with 1.
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
      .action((targets: readonly string[], options: CheckOptions) => act(command, targets, options))
  )
}

async function act(command: Command, targets: readonly string[], options: CheckOptions): Promise<void> {
  const settings = readSettings(process.env)
  const egress = egressPolicy(settings)
  const browsers = browsersOf({ settings, egress, log: createLogger('silent') })
  // Two checks from a terminal share no cache, and no plan counts them.
  const prompts = promptsOf(settings, { store: null, log: createLogger('silent') })
  try {
    const configuration = await configurationOf(targets, options, egress)
    const output: CheckOutput = {
      json: options.json ?? false,
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
    }
    const isSuccess = await runCheck(configuration, egress, output, { prompts, ...(browsers && { browser: browsers }) })
    if (!isSuccess) process.exitCode = 1
  } catch (error) {
    if (error instanceof UsageError) command.error(`tidemark check: ${error.message}`)
    throw error
  } finally {
    await Promise.all([prompts?.close(), browsers?.close()])
  }
}

const collect = (text: string, before: readonly string[] = []) => [...before, text]
