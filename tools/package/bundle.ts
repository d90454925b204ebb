import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { BORDERS } from '../check/border-table.ts'
import { packageName } from '../check/borders.ts'
import { OUTSIDE_PACKAGES } from './outside-packages.ts'

/** The folders that the command is made of. The two others are other packages. */
const SOURCES = Object.keys(BORDERS).filter((folder) => folder !== 'dashboard' && folder !== 'pulumi')
/** The module of a thread, of which another one says where it is. */
const THREAD = /new URL\('([\w-]+)\.ts', import\.meta\.url\)/g
/** Another file of the repository. */
const FILE = /new URL\('(\.\.?\/[^']*)', import\.meta\.url\)/g
const FOLDER = 'import.meta.dirname'
/** How the command is called in a clone. */
const IN_A_CLONE = /(?<![\w./])\.\/tidemark\b/g

/** What of the command a bundle has. A command of which parts are missing ends when it loads them. */
export interface BundleScope {
  /** Folders of the repository. */
  readonly folders: readonly string[]
  /** Packages of npm that these folders may load. */
  readonly packages: readonly string[]
}

/**
 * Bundles the command into `target`, as JavaScript with source maps: Node takes no TypeScript below node_modules, and
 * starts twice as fast where the packages of npm are in it too. All files are in that one folder, which is directly
 * below that of the package. Returns the paths of the modules of packages that are in it; neither OUTSIDE_PACKAGES nor
 * packages of developers are.
 */
export async function bundle(root: string, target: string, scope: BundleScope | null): Promise<readonly string[]> {
  const ofDevelopers = await packagesOfDevelopers(root)
  const isOutside = (name: string) => Object.hasOwn(OUTSIDE_PACKAGES, name) || ofDevelopers.has(name)
  const build = await rolldown({
    cwd: root,
    input: { tidemark: join(root, 'cli/tidemark.ts'), ...(await threadModules(root, scope?.folders ?? SOURCES)) },
    platform: 'node',
    external: (id) => id.startsWith('node:') || isOutside(packageName(id)),
    plugins: [...(scope ? [onlyWhatIsIn(root, scope)] : []), inOneFolder(root)],
  })
  const { output } = await build.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // The comments of the Kubernetes client are a third of all code. LICENSES.md has those that have to stay.
    comments: false,
    sourcemap: true,
    sourcemapPathTransform: (path, map) => join('..', relative(root, join(dirname(map), path))),
  })
  await build.close()
  const maps = output.filter(({ fileName }) => fileName.endsWith('.map'))
  await Promise.all(maps.map(({ fileName }) => leaveOutSources(join(target, fileName))))
  const modules = output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))
  return modules.filter((id) => id.includes('/node_modules/'))
}

/**
 * Returns the packages that an installation does not have, by the lockfile. A package may load one of them where it is
 * there (an optional peer): what else this folder has does not change the bundle.
 */
async function packagesOfDevelopers(root: string): Promise<ReadonlySet<string>> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>
  }
  const namesOf = (isForThem: boolean) =>
    Object.entries(packages)
      .filter(([, { dev, devOptional }]) => (dev === true || devOptional === true) === isForThem)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
  return new Set(namesOf(true)).difference(new Set(namesOf(false)))
}

/** Leaves the texts of packages out of a map: they are two thirds of all maps, and others have written them. */
async function leaveOutSources(path: string): Promise<void> {
  const map = JSON.parse(await readFile(path, 'utf8')) as { sources: string[]; sourcesContent: (string | null)[] }
  const sourcesContent = map.sources.map((source, at) =>
    source.startsWith('../node_modules/') ? null : (map.sourcesContent[at] ?? null),
  )
  await writeFile(path, JSON.stringify({ ...map, sourcesContent }))
}

/** Returns the modules that threads load, by name. */
async function threadModules(root: string, folders: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const path of globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  ).toSorted()) {
    for (const [, name = ''] of (await readFile(join(root, path), 'utf8')).matchAll(THREAD)) {
      if (found[name] !== undefined) throw new Error(`two modules of threads are named ${name}: rename one`)
      found[name] = join(root, dirname(path), `${name}.ts`)
    }
  }
  return found
}

/** Lets code find its files from the folder that all of it is in. */
const inOneFolder = (root: string): Plugin => ({
  name: 'in one folder',
  transform(code, id) {
    if (!isOwn(root, id)) return null
    const from = (path: string) => {
      const slash = path.endsWith('/') ? '/' : ''
      return `new URL('../${relative(root, join(dirname(id), path))}${slash}', import.meta.url)`
    }
    const written = code
      .replaceAll(THREAD, (_, name: string) => `new URL('${name}.js', import.meta.url)`)
      .replaceAll(FILE, (_, path: string) => from(path))
      .replaceAll(FOLDER, `process.getBuiltinModule('node:url').fileURLToPath(${from('.')})`)
      .replaceAll(IN_A_CLONE, 'tidemark')
    // Lines stay where they are, so the map of the source holds.
    return written === code ? null : { code: written, map: null }
  },
})

const isOwn = (root: string, id: string): boolean =>
  id.startsWith(`${root}/`) && id.endsWith('.ts') && !id.includes('/node_modules/')

/** Names what is not in a bundle by `#` and where it would be: loading it fails, and cli/explain-error.ts says why. */
const onlyWhatIsIn = (root: string, { folders, packages }: BundleScope): Plugin => ({
  name: 'only what is in',
  resolveId(specifier, importer) {
    if (importer === undefined || !isOwn(root, importer)) return null
    const path = specifier.startsWith('.') ? relative(root, join(dirname(importer), specifier)) : null
    const isIn =
      path === null
        ? packages.includes(packageName(specifier))
        : !path.endsWith('.ts') || folders.includes(path.split('/', 1)[0] ?? '')
    return isIn || specifier.startsWith('node:') ? null : { id: `#${path ?? specifier}`, external: true }
  },
})
