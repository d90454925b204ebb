import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { ImportedTool } from '../manifests/import/read-import.ts'
import type { ProcessIo } from '../platform/process-io.ts'
import type { ImportFlags } from './commands/import.ts'
import type { TemplateFlags } from './commands/templates.ts'
import type { ValidateFlags } from './commands/validate.ts'

/** All tools. The code that imports them is not loaded for help. */
const TOOLS = Object.keys({
  changedetection: true,
  urlwatch: true,
  webchanges: true,
  'uptime-kuma': true,
} satisfies Record<ImportedTool, true>)

const IMPORT_HELP = `
Nothing is sent anywhere. Standard error has a line for everything that has no equivalent. Values that may be secrets
are in Secrets beside the manifests, so keep the result as you keep passwords. docs/import.md says what becomes of what.

Exits with 0 when the file could be read, 2 when not.

Examples:
  $ ./tidemark import changedetection url-watches.json --dir monitors/
  $ ./tidemark import urlwatch urls.yaml --interval 1800 > monitors.yaml
  $ ./tidemark import urlwatch urls.yaml --reporters urlwatch.yaml > watched.yaml
  $ ./tidemark import uptime-kuma backup.json --dir monitors/ && ./tidemark serve --config monitors/
`

/** Adds the command that writes manifests. */
export const addImport = (io: ProcessIo, program: Command) => {
  const command = program
    .command('import')
    .description('Writes the configuration of another tool as manifests.')
    .addArgument(new Argument('<tool>', 'the tool').choices(TOOLS))
    .argument('<file>', 'its configuration or export, or - for standard input')
    .option('--dir <folder>', 'write a file for each monitor into this folder (default: standard output)')
    .option('--interval <seconds>', 'seconds between two checks, where the tool has none', interval, 3600)
    .option('--reporters <file>', 'the file with the reporters of urlwatch or webchanges: they become destinations')
    .addHelpText('after', IMPORT_HELP)
    .action(async (tool: ImportedTool, file: string, flags: ImportFlags) => {
      const fault = await (await import('./commands/import.ts')).importFile(io, { tool, file }, flags)
      if (fault !== null) command.error(`tidemark import: ${fault}`)
    })
}

function interval(text: string): number {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 60 && seconds <= 31_536_000) return seconds
  throw new InvalidArgumentError('must be a whole number of seconds from 60 to 31536000')
}

const VALIDATE_HELP = `
Each fault has its file, line, column and path. It judges as the API and serve --config do, so it knows nothing of
plans, teams and monitors that are stored. Which private addresses are allowed is what TIDEMARK_ALLOW_PRIVATE_CIDRS
says here: set it as where the manifests are applied. A Secret that is referred to must be a document of the input, in
the file of --secrets, or a variable: the key webhook of the Secret chat is SECRET_CHAT_WEBHOOK.

Exits with 0 when nothing is wrong, 1 when something is, 2 when the command line is not valid or a file of it cannot
be read.

Examples:
  $ ./tidemark validate -f monitors/
  $ ./tidemark validate -f monitors/ -f other.yaml --cluster-secrets
  $ ./tidemark import urlwatch urls.yaml | ./tidemark validate -f -
`

/** Adds the command that judges manifests. */
export const addValidate = (io: ProcessIo, program: Command) =>
  program
    .command('validate')
    .description('Shows everything that is wrong with manifests. Needs no server, no database and no key.')
    .option('-f, --filename <path>', 'a file, a folder, or - for standard input; can be repeated', collect)
    .option('--secrets <file>', 'a file with Secret documents for the references of the manifests')
    .option('--cluster-secrets', 'a Secret that is missing here is no fault, because a cluster has it')
    .addHelpText('after', VALIDATE_HELP)
    .action(async (flags: ValidateFlags) => (await import('./commands/validate.ts')).validate(io, flags))

const TEMPLATES_HELP = `
Examples:
  $ ./tidemark templates
  $ ./tidemark templates --from-template generic-full-page --url https://example.com/ --name example > example.yaml
  $ ./tidemark templates --from-template generic-css-selector | ./tidemark validate -f -
`

/** Adds the command that shows templates. */
export const addTemplates = (io: ProcessIo, program: Command) =>
  program
    .command('templates')
    .description('Lists the templates of monitors, or writes one as a manifest. Needs no server.')
    .option('--from-template <slug>', 'write a manifest of this template to standard output')
    .option('--url <address>', 'the address that it watches (default: that of the template, where it has one)')
    .option('--name <name>', 'the name of the manifest (default: that of the template)')
    .addHelpText('after', TEMPLATES_HELP)
    .action(async (flags: TemplateFlags, command: Command) => {
      const fault = await (await import('./commands/templates.ts')).templates(io, flags)
      if (fault !== null) command.error(`tidemark templates: ${fault}`)
    })

const collect = (text: string, before: readonly string[] = []) => [...before, text]
