import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { npmClosure } from '../../images/npm-closure.ts'
import { PUBLIC_NAMES } from '../../schema/public-names.ts'
import { buildDashboard } from '../build/build-dashboard.ts'
import { BORDERS } from '../check/border-table.ts'
import { committed } from '../committed-files.ts'
import { bundle, type BundleScope } from './bundle.ts'
import { foldersOfPackages, licenseTexts, packageIn } from './bundled-packages.ts'
import { OUTSIDE_PACKAGES } from './outside-packages.ts'
import { packageReadme } from './package-readme.ts'

/** What the package has of the repository as it is: what the program reads, and what people do. */
const COPIED = ['CHANGELOG.md', 'SECURITY.md', 'crds', 'docs', 'examples', 'store/migrations']

const BUILT = 'dashboard/dist'

interface Manifest {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** The names and versions of the packages of npm whose code is in the bundle, as JSON, from the package on. */
export const BUNDLED = 'dist/packages.json'
/** Our own licence. */
const LICENSE = 'LICENSE'
/** Their licences, from the package on. */
const LICENSES = 'LICENSES.md'

/** Builds the package of npm into `target`, which is made anew: its command needs neither a clone nor a build. */
export async function buildPackage(root: string, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  // What lies there may be a build for somebody who works on it, whose pages load themselves again.
  await buildDashboard(join(root, dirname(BUILT)), join(target, BUILT))
  for (const path of await committed(root, COPIED)) {
    await mkdir(dirname(join(target, path)), { recursive: true })
    await cp(join(root, path), join(target, path), { recursive: true })
  }
  await writeFile(join(target, 'README.md'), packageReadme(await readFile(join(root, 'README.md'), 'utf8')))
  const dashboard = await npmClosure(root, BORDERS['dashboard']?.packages ?? [])
  await buildProgram(root, target, { scope: null, builtIn: dashboard.map((path) => join(root, path)) })
}

interface Program {
  /** Null: all of it. */
  readonly scope: BundleScope | null
  /** Folders of packages whose code is in other files of the program. */
  readonly builtIn: readonly string[]
}

/** Adds to `target` the command alone, with our licence and those of what is in it. */
export async function buildProgram(root: string, target: string, { scope, builtIn }: Program): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest
  const inBundle = foldersOfPackages(await bundle(root, join(target, 'dist'), scope))
  await writeFile(join(target, BUNDLED), `${JSON.stringify(inBundle.map(packageIn), null, 2)}\n`)
  await cp(join(root, LICENSE), join(target, LICENSE))
  const folders = [...new Set([...inBundle, ...builtIn])].toSorted()
  await writeFile(join(target, LICENSES), licenseTexts(folders))
  const [major = ''] = manifest.devDependencies['node']?.split('.') ?? []
  await mkdir(join(target, 'bin'))
  await writeFile(join(target, 'bin/tidemark.js'), launcher(Number(major)), { mode: 0o755 })
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifestOf(manifest, major), null, 2)}\n`)
}

/** Versions are those that were tested. The package has no scripts, and installs what the bundle does not have. */
const manifestOf = ({ version, description, license, dependencies }: Manifest, major: string): object => ({
  name: PUBLIC_NAMES.npm.command,
  version,
  description,
  keywords: ['change-detection', 'monitoring', 'web-monitoring', 'webhook'],
  license,
  homepage: PUBLIC_NAMES.repository,
  repository: { type: 'git', url: `git+${PUBLIC_NAMES.repository}.git` },
  bin: { tidemark: 'bin/tidemark.js' },
  files: ['bin', 'dist', 'README.md', LICENSE, LICENSES, ...COPIED, BUILT],
  type: 'module',
  engines: { node: `>=${major}` },
  dependencies: Object.fromEntries(
    Object.entries(dependencies).filter(([name]) => Object.hasOwn(OUTSIDE_PACKAGES, name)),
  ),
})

/** Any Node reads this, and says in one sentence that it is too old. */
const launcher = (major: number): string => `#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < ${major}) {
  const has = process.version
  console.error('tidemark needs Node ${major} or newer, and this is ' + has + '. Install a newer one and start again.')
  process.exit(1)
}
import('../dist/tidemark.js')
`
