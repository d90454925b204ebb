import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { BORDERS } from '../check/border-table.ts'

/** The folders that the command is made of. The two others are other packages. */
const SOURCES = Object.keys(BORDERS).filter((folder) => folder !== 'dashboard' && folder !== 'pulumi')
/** The module of a thread, of which another one says where it is. */
const THREAD = /new URL\('([\w-]+)\.ts', import\.meta\.url\)/g
/** Another file of the repository. */
const FILE = /new URL\('(\.\.?\/[^']*)', import\.meta\.url\)/g
const FOLDER = 'import.meta.dirname'
/** How the command is called in a clone. */
const IN_A_CLONE = './tidemark '

/**
 * Bundles the command into `target`, as JavaScript with source maps: Node takes no TypeScript below node_modules. All
 * files are in that one folder, which is directly below that of the package. What the repository loads from npm stays
 * outside. Returns the names of the files that are started.
 */
export async function bundle(
  root: string,
  target: string,
  dependencies: readonly string[],
): Promise<readonly string[]> {
  const threads = await threadModules(root)
  const input = { tidemark: join(root, 'cli/tidemark.ts'), ...threads }
  const build = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: (id) => id.startsWith('node:') || dependencies.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [inOneFolder(root)],
  })
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' }
  await build.write({ dir: target, format: 'esm', sourcemap: true, ...names })
  await build.close()
  return Object.keys(input).map((name) => `${name}.js`)
}

/** Returns the modules that threads load, by name. */
async function threadModules(root: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const path of globSync(
    SOURCES.map((folder) => `${folder}/**/*.ts`),
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
    if (!id.startsWith(root) || id.includes('/node_modules/') || !id.endsWith('.ts')) return null
    const from = (path: string) => {
      const slash = path.endsWith('/') ? '/' : ''
      return `new URL('../${relative(root, join(dirname(id), path))}${slash}', import.meta.url)`
    }
    const written = code
      .replaceAll(THREAD, (_, name: string) => `new URL('${name}.js', import.meta.url)`)
      .replaceAll(FILE, (_, path: string) => from(path))
      .replaceAll(FOLDER, `process.getBuiltinModule('node:url').fileURLToPath(${from('.')})`)
      .replaceAll(IN_A_CLONE, 'tidemark ')
    // Lines stay where they are, so the map of the source holds.
    return written === code ? null : { code: written, map: null }
  },
})
