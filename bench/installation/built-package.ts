import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { npmClosure } from '../../images/npm-closure.ts'
import { buildPackage } from '../../tools/package/build-package.ts'
import { OUTSIDE_PACKAGES } from '../../tools/package/outside-packages.ts'
import { type CommandCost, measureCommandCost } from './command-cost.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Measures the command of the package of npm. */
export async function measurePackage(): Promise<CommandCost> {
  await using built = await builtPackage()
  return await measureCommandCost(built.program)
}

/** The package of npm, as people install it. */
interface BuiltPackage extends AsyncDisposable {
  /** What Node runs. */
  readonly program: string
}

/** Builds the package of npm in a folder of its own, with links to the packages that npm would install beside it. */
async function builtPackage(): Promise<BuiltPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-built-'))
  const installed = join(folder, 'node_modules/tidemark')
  await buildPackage(ROOT, installed)
  for (const path of await npmClosure(ROOT, Object.keys(OUTSIDE_PACKAGES))) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // A package below another one comes with the link to that one.
    if (path.lastIndexOf('node_modules/') === 0) await symlink(join(ROOT, path), join(folder, path))
  }
  return {
    program: join(installed, 'bin/tidemark.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
