import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BUNDLED } from '../package/build-package.ts'
import type { BundledPackage } from '../package/bundled-packages.ts'

const run = promisify(execFile)
/** A list of components in CycloneDX, as far as it is changed here. */
export interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
}

interface Dependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

/** A package in a lockfile. */
interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
}

interface Component {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
}

/** What a list is of. */
interface ListOf {
  readonly name: string
  /** The time of the commit, in seconds. */
  readonly seconds: number
  /** The folders of packages, from that of the lockfile, of which parts are built in. */
  readonly builtIn: readonly string[]
}

/**
 * Returns the list of what a package of npm brings with it, as npm writes it from the lockfile of its folder. Which of
 * these only its developers need, the lockfile says: `npm sbom --omit dev` also leaves out what runs (`yaml`).
 */
export async function bomOfPackage(folder: string, { name, seconds, builtIn }: ListOf): Promise<Bom> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const { stdout } = await run('npm', args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 })
  const bom = JSON.parse(stdout) as Bom & { readonly dependencies: readonly Dependency[] }
  const needed = await neededBy(folder, new Set(builtIn))
  const { component } = bom.metadata
  const kept = {
    metadata: { ...bom.metadata, component: { ...component, name } },
    components: bom.components.filter((one) => needed.has(one['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => ref === component['bom-ref'] || needed.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => needed.has(ref)) })),
  }
  return equalEachTime({ ...bom, ...kept }, seconds)
}

/**
 * Returns the packages that a lockfile does not mark as those of developers, as npm names them in its list. What is
 * there for developers and as the optional peer of another package (`devOptional`) is not installed with ours.
 */
async function neededBy(folder: string, builtIn: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const isNeeded = (path: string, one: Locked) => builtIn.has(path) || (!one.dev && !one.devOptional)
  const needed = Object.entries(packages).filter(([path, one]) => path !== '' && isNeeded(path, one))
  return new Set(needed.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`))
}

/**
 * Returns the list of what an image is made of: packages of Debian, Node, and packages of npm. `files`: its root file
 * system. `repository`: where the packages are that are built into its dashboard.
 */
export async function bomOfImage(
  files: string,
  version: string,
  { name, seconds, builtIn }: ListOf,
  repository: string,
): Promise<Bom> {
  const component = componentOf('container', name, version, `pkg:oci/${name}?tag=${version}`)
  const program = join(files, 'opt/tidemark')
  const paths = globSync('node_modules/**/package.json', { cwd: program }).map((path) => join(program, path))
  const ofDashboard = builtIn.map((path) => join(repository, path, 'package.json'))
  const bundled = JSON.parse(await readFile(join(program, BUNDLED), 'utf8')) as readonly BundledPackage[]
  const npm = unique([...(await npmOf([...paths, ...ofDashboard])), ...bundled.map(componentOfNpm)])
  const components = [...(await debianOf(files)), nodeOf(), ...npm]
  const head = { $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json', bomFormat: 'CycloneDX' }
  const body = { specVersion: '1.5', version: 1, metadata: { component }, components }
  return equalEachTime({ ...head, ...body }, seconds)
}

const componentOf = (type: string, name: string, version: string, purl: string): Component => ({
  'bom-ref': purl,
  type,
  name,
  version,
  purl,
})

async function debianOf(root: string): Promise<readonly Component[]> {
  const text = await readFile(join(root, 'usr/share/tidemark/debian-packages.txt'), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([name = '', version = '', ...source]) => {
      const upstream = encodeURIComponent(source.join('@'))
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?upstream=${upstream}`
      return componentOf('library', name, version, purl)
    })
}

const nodeOf = (): Component => {
  const version = process.versions.node
  return componentOf('platform', 'node', version, `pkg:generic/node@${version}`)
}

async function npmOf(paths: readonly string[]): Promise<readonly Component[]> {
  const found: Component[] = []
  for (const path of paths.toSorted()) {
    // A package may have further files of this name below it.
    if (!/\/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path)) continue
    const { name, version } = JSON.parse(await readFile(path, 'utf8')) as Partial<Component>
    if (name === undefined || version === undefined) continue
    found.push(componentOfNpm({ name, version }))
  }
  return found
}

function componentOfNpm({ name, version }: Pick<Component, 'name' | 'version'>): Component {
  return componentOf('library', name, version, `pkg:npm/${name.replace('@', '%40')}@${version}`)
}

/** Returns components by their names, each once: one may be beside the bundle and in it. */
const unique = (all: readonly Component[]): readonly Component[] =>
  [...new Map(all.map((one) => [one.purl, one])).values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))

/** Returns the list with a time and a serial number that follow from what it says. */
function equalEachTime<T extends Bom>(bom: T, seconds: number): T {
  const timestamp = new Date(seconds * 1000).toISOString()
  const hex = createHash('sha256')
    .update(JSON.stringify([bom.metadata.component, bom.components]))
    .digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  const serialNumber = `urn:uuid:${parts.join('-')}`
  return { ...bom, serialNumber, metadata: { ...bom.metadata, timestamp } }
}
