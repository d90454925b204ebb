import { resolve } from 'node:path'
import { PUBLIC_NAMES } from '../schema/public-names.ts'
import { PublishError } from './publish/publish-error.ts'
import { publishRelease } from './publish/publish-release.ts'
import { readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run publish-release -- FOLDER [options]

Publishes the folder that npm run release made: images and chart into a registry, packages into that of npm. Signs the
images, the chart and the checksums with cosign. What is there already with the same bytes is left as it is.

Options:
  --key FILE             the private key of cosign; its password is COSIGN_PASSWORD (default: keyless, as who runs it)
  --gpg-key NAME         also sign the chart for helm --verify, with this key of gpg
  --charts NAME          the registry of the chart, with its folder (default: that of schema/public-names.ts)
  --npm-registry URL     the registry of packages (default: that of npm's configuration)
  --only KINDS           some of images, chart, packages, checksums, separated by commas
  --plain-http           the registry of images has no TLS: for a local one
  --dry-run              print the commands and run none
  --help                 print this

It needs crane, cosign, helm and npm, as far as it uses them.

Examples:
  npm run publish-release -- release-0.1.0 --dry-run
  npm run publish-release -- release-0.1.0 --key cosign.key --only images,chart
`

const KINDS = ['images', 'chart', 'packages', 'checksums'] as const

async function main(args: readonly string[]): Promise<number> {
  const line = readLine(args)
  if (typeof line === 'string') {
    process.stderr.write(`${line}\n\n${USAGE}`)
    return 2
  }
  const { values, folder } = line
  if (folder === undefined) {
    process.stdout.write(USAGE)
    return 0
  }
  if (values.key !== undefined && values['dry-run'] !== true && process.env['COSIGN_PASSWORD'] === undefined) {
    process.stderr.write('Set COSIGN_PASSWORD to the password of the key. Set it to nothing for a key without one.\n')
    return 1
  }
  try {
    await publishRelease({
      folder: resolve(folder),
      kinds: line.kinds,
      key: values.key === undefined ? null : resolve(values.key),
      gpgKey: values['gpg-key'] ?? null,
      charts: values.charts ?? PUBLIC_NAMES.charts,
      npmRegistry: values['npm-registry'] ?? null,
      isPlainHttp: values['plain-http'] === true,
      isDry: values['dry-run'] === true,
      says: (text) => process.stdout.write(`${text}\n`),
    })
    return 0
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

/** Returns what the command line asks for, or what is wrong with it. */
function readLine(args: readonly string[]) {
  const line = readArguments(args, {
    options: {
      key: { type: 'string' },
      'gpg-key': { type: 'string' },
      charts: { type: 'string' },
      'npm-registry': { type: 'string' },
      only: { type: 'string' },
      'plain-http': { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    },
    missing: 'Name the folder of a release, such as release-0.1.0.',
    single: 'One folder is published at a time',
  })
  if (typeof line === 'string') return line
  const named = line.values.only?.split(',') ?? KINDS
  const unknown = named.filter((kind) => !KINDS.some((one) => one === kind))
  if (unknown.length > 0) return `--only takes ${KINDS.join(', ')}, and ${unknown.join(', ')} is none of these.`
  return { values: line.values, folder: line.name, kinds: KINDS.filter((kind) => named.includes(kind)) }
}

process.exitCode = await main(process.argv.slice(2))
