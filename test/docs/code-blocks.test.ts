import type { Command } from 'commander'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readSettings, SettingsError } from '../../boot/settings/read-config.ts'
import { commandLine, loadCommands } from '../../cli/command-line.ts'
import { toApiNames } from '../../core/custom-resource/names.ts'
import { CLIENT_VARIABLES } from '../../schema/config/client-variables.ts'
import { Config } from '../../schema/config/config.ts'
import { SECRET_SETTINGS } from '../../schema/config/secret-settings.ts'
import { MonitorCreate } from '../../schema/monitor/monitor.ts'
import { SerpMonitorCreate } from '../../schema/serp/serp-monitor.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { DOC_BLOCKS, type DocBlock } from '../support/docs/doc-blocks.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { answerOf, schemaOf } from './named-schemas.ts'
import { describeShell, SHELLS } from './shells.ts'

const ROOT = join(import.meta.dirname, '../..')
const ZSH = ['/usr/bin/zsh', '/bin/zsh'].find((path) => existsSync(path)) ?? 'zsh'
/** Programs are found nowhere, and end well. */
const NOTHING = 'command_not_found_handler() { }\nalias ./tidemark=:\n'
const titled = (blocks: readonly DocBlock[]) =>
  blocks.map((block): [string, DocBlock] => [`${block.page}, block ${block.number}`, block])
const inLanguage = (language: string) => DOC_BLOCKS.filter((block) => block.language === language)

/** What is done with blocks of a language. Pages of the reference have tests of their own too (reference.test.ts). */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'run, or checked word by word where a comment says why it is not run',
  json: 'compared with the schema that a comment names',
  yaml: 'validated as a manifest or as values of the chart',
  text: 'output, for people',
  mermaid: 'a diagram',
}
/** Code in other languages, with the test that runs it. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'pulumi.md ts': 'pulumi/test/programs.test.ts',
  'quickstart.md ts': 'pulumi/test/programs.test.ts',
  '../pulumi/README.md ts': 'pulumi/test/programs.test.ts',
  '../examples/systemd/README.md ini': 'test/examples/systemd.test.ts',
  'postgres.md ini': 'test/faults/pgbouncer.fault.ts',
  'postgres.md sql': 'test/faults/pgbouncer.fault.ts',
  'webhooks.md http': 'test/deliveries/channels/webhooks-page.test.ts',
  'webhooks.md ts': 'test/deliveries/channels/webhooks-page.test.ts',
  'webhooks.md python': 'test/deliveries/channels/webhooks-page.test.ts',
  'webhooks.md go': 'test/deliveries/channels/webhooks-page.test.ts',
}

describe('Every block of the documentation', () => {
  test('has a language that a test knows', () => {
    const unknown = DOC_BLOCKS.filter(
      ({ page, language }) => !LANGUAGES[language] && !RUN_ELSEWHERE[`${page} ${language}`],
    )
    expect(unknown).toEqual([])
    expect(DOC_BLOCKS.length).toBeGreaterThan(100)
    for (const path of Object.values(RUN_ELSEWHERE)) expect(existsSync(join(ROOT, path)), path).toBe(true)
  })

  test.each(['http', 'ts', 'python', 'go'])(
    'of the webhooks in %s is the only one, which its test reads',
    (language) => {
      expect(inLanguage(language).filter(({ page }) => page === 'webhooks.md')).toHaveLength(1)
    },
  )
})

describe('A block of JSON', () => {
  test.each(titled(inLanguage('json')))('in %s is what its marker says', (_, { marker, text }) => {
    const [kind, name = ''] = marker?.split(': ') ?? []
    if (kind === 'keys') {
      const { properties } = schemaOf(name) as unknown as { properties: Readonly<Record<string, TSchema>> }
      for (const [key, value] of Object.entries(JSON.parse(`{${text}}`) as object))
        expect(checkerOf(properties[key] ?? ({ not: {} } as TSchema)).validate(value), key).toMatchObject({ ok: true })
    } else if (kind === 'lines') expect(text.split('\n').map((line) => typeof JSON.parse(line))).not.toHaveLength(0)
    else {
      expect(['answer', 'schema']).toContain(kind)
      const schema = kind === 'schema' ? schemaOf(name) : answerOf(name)
      expect(checkerOf(schema).validate(JSON.parse(text))).toMatchObject({ ok: true })
    }
  })
})

describe('A block of YAML', () => {
  const values = Compile(VALUES as TSchema)

  test.each(titled(inLanguage('yaml')))('in %s is valid', (_, { marker, text }) => {
    if (marker?.startsWith('checked elsewhere: '))
      expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([])
    else expectValid(parse(text) as Resource)
  })

  // In a file that a block of shell writes.
  const written = inLanguage('sh').flatMap((block) =>
    [...block.text.matchAll(/^cat > \S+\.(?:ya?ml|json)"? <<'END'\n(.*?)\nEND$/gms)].map(
      ([, text = '']): [string, string] => [`${block.page}, block ${block.number}`, text],
    ),
  )
  test.each(written)('that %s writes to a file is valid', (_, text) => {
    const resource = parse(text) as Resource
    if (text.startsWith('{')) expect(checkerOf(MonitorCreate).validate(resource)).toMatchObject({ ok: true })
    else expectValid(resource)
  })
  test('that is written to a file is found', () => expect(written.length).toBeGreaterThanOrEqual(3))

  interface Resource {
    readonly apiVersion?: string
    readonly kind?: string
    readonly spec: object
  }
  function expectValid(resource: Resource): void {
    if (resource.kind === undefined) {
      expect(values.Errors(resource)[1]).toEqual([])
      return
    }
    const definition = { Monitor: MonitorCreate, SerpMonitor: SerpMonitorCreate }[resource.kind]
    expect([definition === undefined ? resource.kind : null, resource.apiVersion]).toEqual([null, 'tidemark.dev/v1'])
    if (definition)
      expect(checkerOf(definition).validate(toApiNames(definition, resource.spec))).toMatchObject({ ok: true })
  }
})

const isCall = ({ page, text }: DocBlock) =>
  page.startsWith('reference/') && text.split('\n').every((line) => /^(?:curl|#|\s|$|[A-Z]+=|[}\]'])/.test(line))
/** Only commands for a cluster. */
const needsCluster = ({ text }: DocBlock) => text.split('\n').every((line) => /^(?:kubectl|helm) |^\s|^#|^$/.test(line))
const isMarked = ({ marker }: DocBlock) => /^not run by the test: \S/.test(marker ?? '')

const COMMANDS = commandLine(process, '0.0.0')
await loadCommands(
  process,
  COMMANDS,
  COMMANDS.commands.map((command) => command.name()),
)
const SETTINGS: ReadonlySet<string> = new Set([
  ...Object.keys(Config.properties),
  ...SECRET_SETTINGS.map((name) => `${name}_FILE`),
  ...Object.keys(CLIENT_VARIABLES),
])
interface Values {
  readonly properties?: Readonly<Record<string, Values>>
}
const VALUES = JSON.parse(readFileSync(join(ROOT, 'charts/tidemark/values.schema.json'), 'utf8')) as Values
const COMPOSE = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, { readonly profiles?: readonly string[] }>>
}

/** Returns what is wrong with one line of shell: a command, an option, a setting or a file that does not exist. */
function lineFaults(line: string): string[] {
  const words = line.split(/\s+/)
  const settings = words.flatMap((word) => /^([A-Z][A-Z0-9]*_[A-Z0-9_]+)=/.exec(word)?.[1] ?? [])
  const faults = settings.filter((name) => !SETTINGS.has(name)).map((name) => `${name} is no setting`)
  const files = [...line.matchAll(/[\s=]((?:crds|examples|charts|bench)\/[\w./-]*|images\/[\w.-]+\.ts)/g)]
  faults.push(...files.flatMap(([, path = '']) => (existsSync(join(ROOT, path)) ? [] : [`${path} does not exist`])))
  faults.push(...scriptFaults(line), ...composeFaults(line), ...clusterFaults(line))
  const at = words.findIndex((word) => word.endsWith('./tidemark'))
  return at < 0 ? faults : [...faults, ...commandFaults(line.slice(line.indexOf('./tidemark') + 10).split(/[|;)]/)[0])]
}

/** Scripts of npm that do not exist, in the repository or in the folder of `--prefix`. */
function scriptFaults(line: string): string[] {
  const calls = [...line.matchAll(/npm run (?:--prefix (\S+) )?([\w:-]+)/g)]
  return calls.flatMap(([, folder = '.', name = '']) => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as { scripts: object }
    return Object.hasOwn(scripts, name) ? [] : [`there is no script ${name} in ${folder}`]
  })
}

/** Services, profiles and commands of the Compose file that do not exist. */
function composeFaults(line: string): string[] {
  const [, profile] = /docker compose .*--profile (\S+)/.exec(line) ?? []
  const profiles = Object.values(COMPOSE.services).flatMap((service) => service.profiles ?? [])
  const faults = profile === undefined || profiles.includes(profile) ? [] : [`there is no profile ${profile}`]
  const [, service, command] = /docker compose run (?:--rm )?(\S+) (.*)/.exec(line) ?? []
  if (service === undefined) return faults
  if (!Object.hasOwn(COMPOSE.services, service)) faults.push(`there is no service ${service}`)
  return [...faults, ...commandFaults(` ${command}`)]
}

/** What the pages look at in a cluster, beside the resources of crds/. */
const OBJECTS = 'configmap crd deployment events jobs lease namespace pod pods podtemplate pvc secret service'.split(
  ' ',
)
const CRD_NAMES = readdirSync(join(ROOT, 'crds')).flatMap((file) => {
  const { spec } = parse(readFileSync(join(ROOT, 'crds', file), 'utf8')) as { readonly spec: { readonly names: Names } }
  return [spec.names.plural, spec.names.singular, ...(spec.names.shortNames ?? [])]
})
interface Names {
  readonly plural: string
  readonly singular: string
  readonly shortNames?: readonly string[]
}

/** Resources that are neither of Kubernetes nor of crds/, and values that the chart does not know. */
function clusterFaults(line: string): string[] {
  const words = [...line.matchAll(/kubectl (?:-n \S+ )?(?:get|describe|wait|label) ((?:--?\S+ )*)(\S+)/g)]
  const kinds = words.flatMap(([, flags = '', first = '']) =>
    flags.includes('--raw') ? [] : first.startsWith('-') ? [] : (first.split('/')[0]?.split(',') ?? []),
  )
  const faults = kinds
    .filter((kind) => !OBJECTS.includes(kind) && !CRD_NAMES.includes(kind))
    .map((kind) => `${kind} is no resource`)
  for (const [, path = ''] of line.matchAll(/--set '?([\w.]+)=/g)) {
    let node: Values | undefined = VALUES
    for (const key of path.split('.')) node = node?.properties?.[key]
    if (!node) faults.push(`the chart has no value ${path}`)
  }
  return faults
}

/** What is wrong with the values that a block gives to settings. Texts with `$`, `<` or `…` stand for others. */
function valueFaults(text: string): readonly Issue[] {
  const given = [...text.matchAll(/(?:^|\s)([A-Z][A-Z0-9_]*)=('[^']*'|[^\s'"]*)(?=\s|$)/gm)].flatMap(
    ([, name = '', value = '']): [string, string][] =>
      Object.hasOwn(Config.properties, name) && !/[$<…]/.test(value) ? [[name, value.replaceAll("'", '')]] : [],
  )
  const names = given.map(([name]) => name)
  try {
    readSettings(Object.fromEntries(given))
    return []
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    // A block need not have all the settings that belong together.
    return error.issues.filter(({ path, message }) => names.includes(path) && !message.startsWith('needs '))
  }
}

function commandFaults(text = ''): string[] {
  let command: Command = COMMANDS
  const words = text
    .replaceAll(/'[^']*'|"[^"]*"/g, 'x')
    .trim()
    .split(/\s+/)
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word)
    if (!next) break
    command = next
  }
  if (command === COMMANDS) return [`tidemark${text} is no command`]
  const known = new Set(command.options.flatMap(({ long, short }) => [long, short]))
  return words
    .flatMap((word) => /^(--?[a-z][a-z-]*)/.exec(word)?.[1] ?? [])
    .filter((flag) => !known.has(flag) && flag !== '--help')
    .map((flag) => `tidemark ${command.name()} has no ${flag}`)
}

describe('A block of shell', () => {
  const blocks = inLanguage('sh')

  test.each(titled(blocks))('in %s names commands, options, settings and files that exist', (_, { text }) => {
    const lines = text.replaceAll(/\\\n/g, ' ').split('\n')
    expect(lines.filter((line) => !line.trim().startsWith('#')).flatMap(lineFaults)).toEqual([])
  })

  test.each(titled(blocks.filter(isMarked)))('in %s that is not run needs what a test has not', (_, { marker }) => {
    const [, reason] = marker?.split('not run by the test: ') ?? []
    expect(reason).toMatch(
      /^(?:it (?:needs|asks|calls|would ask|is) |these are |(?:another|the) test |\S+ (?:has|does) the)/,
    )
  })

  test.each(titled(blocks))('in %s gives settings values that a start takes', (_, { text }) => {
    expect(valueFaults(text)).toEqual([])
  })

  const copies = blocks.filter(({ marker }) => marker?.endsWith('has the same lines'))
  test.each(titled(copies))('in %s stands on the page whose test runs it', (_, { marker, text }) => {
    const [, page = ''] = /: (\S+) has the same lines$/.exec(marker ?? '') ?? []
    expect(readFileSync(join(ROOT, page === 'README.md' ? page : `docs/${page}`), 'utf8')).toContain(text)
  })

  test.each(titled(blocks))('in %s has no comment, which zsh takes for words where people type', (_, { text }) => {
    const bare = text
      .replaceAll(/<<'?(\w+)'?\n.*?\n\1$/gms, '')
      .replaceAll(/'[^']*'|"[^"]*"/g, 'x')
      .split('\n')
    expect(bare.filter((line) => /(?:^|\s)#/.test(line))).toEqual([])
  })

  describeShell('zsh', 'typed into zsh, where no command does anything', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    beforeAll(async () => {
      folder = await temporaryFolder()
    })
    afterAll(() => folder[Symbol.asyncDispose]())

    // What zsh says of a word that it takes for a pattern, of a history or of a quote. The commands are run by bash.
    test.each(titled(blocks))('in %s is read as in bash', async (_, { text }) => {
      const { args, before } = SHELLS.zsh
      const zsh = spawn(ZSH, args, { cwd: folder.path, env: { HOME: folder.path, PATH: folder.path } })
      let said = ''
      zsh.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
      zsh.stdout.resume()
      zsh.stdin.end(`${before}${NOTHING}${text}\n`)
      await once(zsh, 'close')
      expect(said.split('\n').filter((line) => /zsh: (?!no such file)/.test(line))).toEqual([])
    })
  })

  describe('that can be run', () => {
    const { args } = SHELLS.bash
    // README.md has a test of its own, and those of the folders call nothing that the pages of docs/ do not call.
    const runnable = blocks.filter(
      (block) => !block.page.startsWith('../') && !isMarked(block) && !isCall(block) && !needsCluster(block),
    )
    let database: TestDatabase
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let shell: ChildProcess
    let output = ''
    beforeAll(async () => {
      database = await createEmptyDatabase()
      folder = await temporaryFolder()
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: folder.path,
        DATABASE_URL: database.url,
        TIDEMARK_ENCRYPTION_KEY: 'a key of the tests, which is long enough',
        TIDEMARK_DATA_DIR: join(folder.path, 'data'),
      }
      output = ''
      shell = spawn('bash', args, { cwd: ROOT, env, detached: true })
      for (const stream of [shell.stdout, shell.stderr])
        stream?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
      shell.stdin?.write(`set -e -o pipefail\n./tidemark migrate\n`)
      shell.stdin?.write('./tidemark admin create-owner --email owner@tidemark.local\n')
    })
    afterAll(async () => {
      shell.stdin?.end()
      if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'close')
      await database.drop()
      await folder[Symbol.asyncDispose]()
    })

    test('is found', () => expect(runnable.length).toBeGreaterThanOrEqual(4))

    test.each(titled(runnable))(
      'in %s ends well',
      async (title, { text }) => {
        const before = output.length
        shell.stdin?.write(`${text}\necho "ended: ${title}"\n`)
        await eventually(
          () => output,
          (all) => all.includes(`ended: ${title}`) || shell.exitCode !== null,
          { forMs: 90_000 },
        )
        expect(output.slice(before)).toContain(`ended: ${title}`)
      },
      120_000,
    )
  })
})
