import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from '../cli/output.ts'
import { printable } from '../core/printable.ts'
import { BORDERS } from './check/border-table.ts'
import { InputError } from './vulnerabilities/component.ts'
import { type Finding, findVulnerabilities } from './vulnerabilities/find-vulnerabilities.ts'
import { readIgnored, withoutIgnored } from './vulnerabilities/ignored.ts'
import { imageComponents } from './vulnerabilities/image-components.ts'
import { lockedComponents } from './vulnerabilities/locked-components.ts'

const USAGE = `Usage: npm run vulnerabilities -- FOLDER [options]

Lists the known vulnerabilities of the packages in the lockfiles, and of what images are made of. FOLDER has the
unpacked all.zip of OSV's ecosystem npm, and that of Debian:12 for images. It asks nobody else.

Options:
  --sbom DIR      also the images: the folder sbom of a release, with its image-*.cdx.json
  --ignore FILE   what does not count, in YAML: a list of id, reason and until, the last day
  --json          print JSON
  --help          print this

Exit codes: 0 when nothing that runs has one, 1 when something has, 2 when it cannot be told.

Examples:
  npm run vulnerabilities -- osv
  npm run vulnerabilities -- osv --sbom release-0.1.0/sbom --ignore ignored.yaml
`

const ROOT = join(import.meta.dirname, '..')
const says = (line: string) => process.stderr.write(`${printable(line)}\n`)

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
  try {
    const running = await list({ ...values, folder: resolve(folder) })
    return running === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    says(error.message)
    return 2
  }
}

interface Asked {
  readonly folder: string
  readonly sbom?: string
  readonly ignore?: string
  readonly json?: boolean
}

/** Prints what counts, and says what does not. Returns how many vulnerabilities are in what runs. */
async function list({ folder, sbom, ignore, json }: Asked): Promise<number> {
  const ignored = ignore === undefined ? [] : await readIgnored(resolve(ignore))
  const locked = await lockedComponents(ROOT, BORDERS['dashboard']?.packages ?? [])
  const { components: ofImages, withoutSource } =
    sbom === undefined ? { components: [], withoutSource: [] } : await imageComponents(resolve(sbom))
  const components = [...locked, ...ofImages]
  const { findings, records, unimportant } = findVulnerabilities(folder, components, says)
  const { counted, notes } = withoutIgnored(findings, ignored, new Date().toISOString().slice(0, 10))
  notes.forEach(says)
  if (unimportant > 0) says(`Left out, because Debian calls them unimportant: ${unimportant} records.`)
  if (withoutSource.length > 0)
    says(`Looked up by their own names only, because no source is named: ${withoutSource.join(', ')}.`)
  process.stdout.write(json === true ? `${JSON.stringify(counted, null, 2)}\n` : textOf(counted))
  const running = counted.filter(({ runs }) => runs).length
  const elsewhere = `${counted.length - running} in what only development uses`
  const read = `${records.toLocaleString('en')} records, ${components.length} packages`
  says(`${read}: ${running} vulnerabilities in what runs, ${elsewhere}.`)
  return running
}

const textOf = (findings: readonly Finding[]): string => {
  if (findings.length === 0) return ''
  return table(
    process,
    [
      { head: 'PACKAGE', cell: (one) => one.package },
      { head: 'VERSION', cell: (one) => one.version },
      { head: 'USED IN', cell: (one) => one.uses.join(', ') },
      { head: 'ID', cell: (one) => nameOf(one) },
      { head: 'FIXED IN', cell: (one) => one.fixedIn ?? 'none' },
      { head: 'SUMMARY', cell: (one) => one.summary, isCut: true },
    ],
    findings,
  )
}

/** Returns the id with the first CVE. A record of a distribution may have dozens. */
function nameOf({ id, cves }: Finding): string {
  const [first, ...others] = cves.filter((cve) => cve !== id)
  if (first === undefined) return id
  return `${id} (${first}${others.length === 0 ? '' : ` and ${others.length} more`})`
}

/** Returns what the command line asks for, or what is wrong with it. */
function readLine(args: readonly string[]) {
  const options = {
    sbom: { type: 'string' },
    ignore: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [folder, ...others] = values.help === true ? [] : positionals
    if (values.help !== true && folder === undefined) return 'Name the folder with the data of OSV.'
    if (others.length > 0) return `One folder is read, and ${others.join(' ')} is more.`
    return { values, folder }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

process.exitCode = await main(process.argv.slice(2))
