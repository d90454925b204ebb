import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of a program that has installed the package. */
    pulumiProgram: string
  }
}

const run = promisify(execFile)
const PACKAGE = join(import.meta.dirname, '..')

/** Packs the package as it is published, and installs it into a program's folder (vitest's globalSetup). */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-pulumi-'))
  const modules = join(folder, 'node_modules')
  const installed = join(modules, '@tidemark/pulumi')
  await mkdir(installed, { recursive: true })
  await run('npm', ['run', 'build'], { cwd: PACKAGE })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }]
  await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1'])
  for (const name of ['@pulumi', '@types', 'typescript'])
    await symlink(join(PACKAGE, 'node_modules', name), join(modules, name))
  await writeFile(join(folder, 'Pulumi.yaml'), 'name: shop\nruntime: nodejs\n')
  project.provide('pulumiProgram', folder)
  return () => rm(folder, { recursive: true, force: true })
}
