import { join, resolve } from 'node:path'
import { ARCHITECTURES, isArchitecture } from '../images/architectures.ts'
import { PUBLIC_NAMES } from '../schema/public-names.ts'
import { record, recordFaults } from './public/record.ts'
import { readArguments } from './read-arguments.ts'
import { buildRelease } from './release/build-release.ts'
import { folderFaults, releaseFaults, treeFaults } from './release/release-faults.ts'

const USAGE = `Usage: npm run release -- [--dry-run] VERSION [options]

Makes everything of a release in a folder: packages of npm, images, the chart, custom resource definitions, the OpenAPI
document, lists of components, checksums, and how it was made. It publishes nothing.

Options:
  --record           only write what is public into releases/VERSION, which is committed before the tag
  --dry-run          do not ask for a clean tree and the tag vVERSION
  --to DIR           the folder, which is made anew (default: release-VERSION)
  --without-images   leave out the images, and the chart and the Compose file, which name them by digest
  --arch NAMES       amd64, arm64 or both, separated by a comma (default: both)
  --registry NAME    the registry of the images, with its folder (default: that of schema/public-names.ts)
  --builder URI      who builds, for the provenance (default: urn:tidemark:local)
  --help             print this

Images need root and Debian 12, with its lists of packages (apt-get update).

Examples:
  npm run release -- --record 0.1.0
  npm run release -- --dry-run 0.1.0 --without-images
  sudo npm run release -- --dry-run 0.1.0 --arch amd64
`

const ROOT = join(import.meta.dirname, '..')

/** Returns the exit code: 0 for a release, 1 where this tree cannot be released, 2 for a wrong command line. */
async function main(args: readonly string[]): Promise<number> {
  const line = readLine(args)
  if (typeof line === 'string') {
    process.stderr.write(`${line}\n\n${USAGE}`)
    return 2
  }
  const { version, values, architectures } = line
  if (version === undefined) {
    process.stdout.write(USAGE)
    return 0
  }
  if (values.record === true) {
    const fault = await record(ROOT, version)
    process.stderr.write(fault === null ? '' : `${fault}\n`)
    return fault === null ? 0 : 1
  }
  const target = resolve(values.to ?? `release-${version}`)
  const faults = [...(await releaseFaults(ROOT, version)), ...(await folderFaults(target))]
  if (values['dry-run'] !== true)
    faults.push(...(await recordFaults(ROOT, version)), ...(await treeFaults(ROOT, version)))
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) return 1
  await buildRelease({
    root: ROOT,
    version,
    target,
    hasImages: values['without-images'] !== true,
    architectures,
    registry: values.registry ?? PUBLIC_NAMES.images,
    isOfTag: values['dry-run'] !== true,
    builder: values.builder ?? 'urn:tidemark:local',
    says: (text) => process.stdout.write(`${text}\n`),
  })
  return 0
}

/** Returns what the command line asks for, or what is wrong with it. */
function readLine(args: readonly string[]) {
  const line = readArguments(args, {
    options: {
      record: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      to: { type: 'string' },
      'without-images': { type: 'boolean' },
      arch: { type: 'string' },
      registry: { type: 'string' },
      builder: { type: 'string' },
    },
    missing: 'Name the version, such as 0.1.0.',
    single: 'One version is released at a time',
  })
  if (typeof line === 'string') return line
  const architectures = line.values.arch?.split(',') ?? Object.keys(ARCHITECTURES)
  const known = architectures.filter((name) => isArchitecture(name))
  if (known.length < architectures.length) return `--arch takes ${Object.keys(ARCHITECTURES).join(' and ')}.`
  return { values: line.values, version: line.name, architectures: known }
}

process.exitCode = await main(process.argv.slice(2))
