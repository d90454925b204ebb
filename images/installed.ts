import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ArchitectureName, ARCHITECTURES, OWN_ARCHITECTURE } from './architectures.ts'

const run = promisify(execFile)

/** Node and the packages of npm for one architecture. */
export interface Installed {
  /** The folder that has `node_modules`. */
  readonly modules: string
  /** The program. */
  readonly node: string
  /** Removes what was installed for the image. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Returns what `npm ci` has installed in the repository; for another architecture, what it installs for that one, in
 * another folder. No script of a package runs there.
 */
export async function installedFor(architecture: ArchitectureName, repository: string): Promise<Installed> {
  if (architecture === OWN_ARCHITECTURE)
    return { modules: repository, node: process.execPath, [Symbol.asyncDispose]: async () => {} }
  const cpu = ARCHITECTURES[architecture].node
  const modules = await mkdtemp(join(tmpdir(), 'tidemark-npm-'))
  const remove = () => rm(modules, { recursive: true, force: true })
  try {
    for (const file of ['package.json', 'package-lock.json']) await cp(join(repository, file), join(modules, file))
    const options = ['--ignore-scripts', '--omit=dev', '--os=linux', `--cpu=${cpu}`, '--libc=glibc', '--no-audit']
    await run('npm', ['ci', ...options], { cwd: modules })
    const [name, version] = [`node-linux-${cpu}`, process.versions.node]
    // The package of Node has a package for each architecture, which its script installs.
    const { stdout } = await run('npm', ['pack', '--silent', `${name}@${version}`], { cwd: modules })
    await run('tar', ['-xzf', stdout.trim(), 'package/bin/node'], { cwd: modules })
    return { modules, node: join(modules, 'package/bin/node'), [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}
