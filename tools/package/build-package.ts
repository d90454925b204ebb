import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PUBLIC_NAMES } from '../../schema/public-names.ts'
import { committed } from '../committed-files.ts'
import { bundle } from './bundle.ts'
import { packageReadme } from './package-readme.ts'

/** What the package has of the repository as it is: what the program reads, and what people do. */
const COPIED = ['CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'crds', 'docs', 'examples', 'store/migrations']

const BUILT = 'dashboard/dist'

interface Manifest {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** Builds the package of npm into `target`, which is made anew: its command needs neither a clone nor a build. */
export async function buildPackage(root: string, target: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest
  await rm(target, { recursive: true, force: true })
  for (const path of [...(await committed(root, COPIED)), BUILT]) {
    await mkdir(dirname(join(target, path)), { recursive: true })
    await cp(join(root, path), join(target, path), { recursive: true })
  }
  await writeFile(join(target, 'README.md'), packageReadme(await readFile(join(root, 'README.md'), 'utf8')))
  await bundle(root, join(target, 'dist'), Object.keys(manifest.dependencies))
  const [major = ''] = manifest.devDependencies['node']?.split('.') ?? []
  await mkdir(join(target, 'bin'))
  await writeFile(join(target, 'bin/tidemark.js'), launcher(Number(major)), { mode: 0o755 })
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifestOf(manifest, major), null, 2)}\n`)
}

/** Versions are those that were tested. The package has no scripts. */
const manifestOf = ({ version, description, license, dependencies }: Manifest, major: string): object => ({
  name: PUBLIC_NAMES.npm.command,
  version,
  description,
  keywords: ['change-detection', 'monitoring', 'web-monitoring', 'webhook'],
  license,
  homepage: PUBLIC_NAMES.repository,
  repository: { type: 'git', url: `git+${PUBLIC_NAMES.repository}.git` },
  bin: { tidemark: 'bin/tidemark.js' },
  files: ['bin', 'dist', 'README.md', ...COPIED, BUILT],
  type: 'module',
  engines: { node: `>=${major}` },
  dependencies,
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
