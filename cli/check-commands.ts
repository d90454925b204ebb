import { type Command, InvalidArgumentError } from 'commander'
import type { ProcessIo } from '../platform/process-io.ts'
import { collect, seconds } from './argument-readers.ts'
import { type CheckOptions, RULE_OPTIONS } from './check/options.ts'
import type { SearchOptions } from './check/run-search.ts'

function pause(text: string): number {
  const chosen = seconds(text)
  if (chosen === 0) throw new InvalidArgumentError('must be a whole number of seconds from 1 to 9999')
  return chosen
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
  $ ./tidemark check https://shop.example/item --outline
  $ ./tidemark check https://shop.example/item --read-as structured_data --json-path 'price=$.product.price'
  $ ./tidemark check prices.xlsx --read-as document --json-path 'price=$.sheets[0].records[0].Price'
  $ ./tidemark check page.html --css 'jobs=li a::attr(href)[]' --clean 'jobs=drop_lines /sponsored/' --clean jobs=unique
  $ ./tidemark check page.html --css price=.price --clean 'price=replace ^from (.*) => $1'
  $ ./tidemark check --template feed-new-item https://news.example.com/feed.xml
  $ ./tidemark check --monitor monitor.json              a body of POST /v1/monitors, validated as in the API
  $ ./tidemark check --monitor monitor.json saved.html   the same on another page
  $ ./tidemark check --monitor monitors/ --name kettle   a manifest of a folder
  $ ./tidemark check --monitor monitor.json --message    what a message of it says; nothing is sent
  $ ./tidemark check --watch --monitor monitor.json saved.html   again whenever one of the two files is written
  $ ./tidemark check serp "running shoes"               the results of a search engine (check serp --help)
`

export const addCheck = (io: ProcessIo, program: Command) => {
  const command = program
    .command('check')
    .description('Shows what a run would extract from an address or a file. Needs no server and no database.')
    .argument('[targets...]', 'addresses, files, or -')
  for (const { option, what, example } of RULE_OPTIONS)
    command.option(`${option} <name=rule>`, `a field by ${what}, as in ${example}; can be repeated`, collect)
  command
    .option('--read-as <what>', 'read structured_data of the page (for --json-path), or a document: PDF, XLSX, DOCX')
    .option(
      '--clean <field=treatment>',
      'what is done to a value: keep_lines or drop_lines PATTERN, replace PATTERN => TEXT, sort, unique, ' +
        'first or last COUNT, between TEXT => TEXT, absolute_links; can be repeated, in their order',
      collect,
    )
    .option('--outline', 'show what rules could read, with its paths: JSON, feeds, files, structured data of a page')
    .option('--full-page', 'hash the whole answer (the default)')
    .option('--template <slug>', 'extract as a template does')
    .option('--monitor <file>', 'extract as a monitor does: a manifest, or a body of POST /v1/monitors as JSON')
    .option('--name <name>', 'the manifest of this name, or namespace/name, of a --monitor or its folder')
    .option(
      '--message',
      'show the text of a message of the --monitor as well, of a change that is made up; send nothing',
    )
    .option('--header <name: value>', 'request header to send; can be repeated', collect)
    .option('--browser', 'render all pages, as fetch_mode browser does; without it only pages that seem to need it')
    .option('--wait-for <selector>', 'render the page, and read it once an element matches this CSS selector')
    .option('--watch', 'check again when a file changes, and addresses at intervals; show what differs, until Ctrl-C')
    .option('--every <seconds>', 'with --watch: seconds between two checks of addresses', pause, 60)
    .addHelpText('after', CHECK_HELP)
    .action(async (targets: readonly string[], options: CheckOptions) => {
      const { check } = await import('./commands/check.ts')
      const fault = await check(io, targets, options)
      if (fault !== null) command.error(`tidemark check: ${fault}`)
    })
  addCheckSerp(io, command)
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

const addCheckSerp = (io: ProcessIo, check: Command) =>
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
      const fault = await checkSerp(io, keyword, command.optsWithGlobals<SearchOptions>())
      if (fault !== null) command.error(`tidemark check serp: ${fault}`)
    })
