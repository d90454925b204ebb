import { opendirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { compare as compareSemantic, valid } from 'semver'
import { type Component, DEVELOPMENT, type Ecosystem, InputError } from './component.ts'
import { compareDebian } from './debian-version.ts'
import { type Affected, type Compare, fixOf, type OsvRecord, readRecord } from './osv-record.ts'

/** A vulnerability of one package in one version. */
export interface Finding {
  readonly id: string
  /** Other names of the vulnerability. */
  readonly aliases: readonly string[]
  readonly cves: readonly string[]
  readonly package: string
  readonly version: string
  /** Where the package is used. */
  readonly uses: readonly string[]
  /** Whether it is in anything but development. */
  readonly runs: boolean
  /** Null: no version is known. */
  readonly fixedIn: string | null
  /** As the record says: a word, or CVSS. Null where it says nothing. */
  readonly severity: string | null
  readonly summary: string
}

/** What a folder with data of OSV says. */
interface Search {
  readonly findings: readonly Finding[]
  /** How many records there are. */
  readonly records: number
  /** How many affect a package, but are unimportant by Debian: no risk where the package is used as it is. */
  readonly unimportant: number
}

const COMPARE: Readonly<Record<Ecosystem, Compare>> = {
  npm: (one, other) =>
    valid(one, true) === null || valid(other, true) === null ? Number.NaN : compareSemantic(one, other, true),
  'Debian:12': compareDebian,
}

/** After so many records it says how far it is. */
const STEP = 50_000

/**
 * Returns the vulnerabilities of packages. Records are read one after the other, and only what affects a package is
 * kept: 200,000 records take some seconds and no more memory than one. Throws an InputError for what is not of OSV.
 */
export function findVulnerabilities(
  folder: string,
  components: readonly Component[],
  says: (line: string) => void,
): Search {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new InputError(`${folder} is no folder. Name that with the unpacked data of OSV.`)
  const wanted = Map.groupBy(components, (one) => keyOf(one.ecosystem, one.name))
  const found = new Map<string, Finding>()
  const seen = new Set<string>()
  let records = 0
  let unimportant = 0
  for (const record of recordsOf(folder)) {
    records += 1
    if (records % STEP === 0) says(`${records.toLocaleString('en')} records`)
    for (const affected of record.affected ?? []) {
      const { ecosystem = '', name = '' } = affected.package ?? {}
      seen.add(ecosystem)
      if (record.withdrawn !== undefined) continue
      const hits = findingsOf(record, affected, wanted.get(keyOf(ecosystem, name)) ?? [])
      if (isUnimportant(affected)) unimportant += Math.sign(hits.length)
      else hits.forEach((hit) => add(found, hit))
    }
  }
  for (const ecosystem of new Set(components.map((one) => one.ecosystem)))
    if (!seen.has(ecosystem))
      throw new InputError(`${folder} has no records of ${ecosystem}. Unpack all.zip of OSV's ${ecosystem} into it.`)
  return { findings: [...found.values()].toSorted(byWeight), records, unimportant }
}

const keyOf = (ecosystem: string, name: string): string => `${ecosystem} ${name}`

/**
 * Yields what the files of a folder and of those in it say. All at once and in turn: to wait for each of so many small
 * files takes several times as long, and so does `opendir` of Node for a folder with all that is in it.
 */
function* recordsOf(folder: string): Generator<OsvRecord> {
  using entries = opendirSync(folder, { bufferSize: 1024 })
  for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* recordsOf(path)
    if (!entry.isFile() || !entry.name.endsWith('.json')) continue
    const record = readRecord(readFileSync(path, 'utf8'))
    if (record === null) throw new InputError(`${path} is no record of OSV. Name a folder that has nothing else.`)
    yield record
  }
}

const isUnimportant = (affected: Affected): boolean =>
  (affected.ecosystem_specific?.urgency ?? affected.database_specific?.urgency) === 'unimportant'

function findingsOf(record: OsvRecord, affected: Affected, components: readonly Component[]): readonly Finding[] {
  const { id, aliases = [], upstream = [], summary, details, severity } = record
  const cves = [id, ...aliases, ...upstream].flatMap((name) => /CVE-\d+-\d+$/.exec(name)?.[0] ?? [])
  const word = record.database_specific?.severity
  return components.flatMap(({ ecosystem, installedAs, version, use }) => {
    const fixedIn = fixOf(affected, version, COMPARE[ecosystem])
    if (fixedIn === undefined) return []
    return {
      id,
      aliases,
      cves: [...new Set(cves)],
      package: installedAs,
      version,
      uses: [use],
      runs: use !== DEVELOPMENT,
      fixedIn,
      severity: typeof word === 'string' ? word : (severity?.[0]?.score ?? null),
      summary: summary ?? details?.split('\n', 1)[0] ?? '',
    }
  })
}

/** Adds a finding, or its use to the finding of the same package and version. */
function add(found: Map<string, Finding>, finding: Finding): void {
  const key = [finding.id, finding.package, finding.version].join(' ')
  const same = found.get(key)
  const uses = [...new Set([...(same?.uses ?? []), ...finding.uses])].toSorted()
  found.set(key, { ...(same ?? finding), uses, runs: finding.runs || same?.runs === true })
}

/** What runs comes first. */
const byWeight = (one: Finding, other: Finding): number =>
  Number(other.runs) - Number(one.runs) ||
  one.package.localeCompare(other.package, 'en') ||
  one.id.localeCompare(other.id, 'en')
