import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { sourceFiles } from '../../../tools/check/source-file.ts'

const REPOSITORY = join(import.meta.dirname, '../../..')

interface ClosedClone extends AsyncDisposable {
  path: string
}

/** A copy of the work tree, with what is installed in it, in a folder that only its owner can enter. */
export async function closedClone(): Promise<ClosedClone> {
  const parent = await mkdtemp(join(tmpdir(), 'tidemark-closed-'))
  const path = join(parent, 'tidemark')
  for (const file of await sourceFiles(REPOSITORY)) {
    await mkdir(dirname(join(path, file.path)), { recursive: true })
    await copyFile(join(REPOSITORY, file.path), join(path, file.path))
  }
  // Links instead of copies where the file system allows it: half a gigabyte in a second.
  const modules = [join(REPOSITORY, 'node_modules'), join(path, 'node_modules')]
  const copy = promisify(execFile)
  await copy('cp', ['-al', ...modules]).catch(() => copy('cp', ['-a', ...modules]))
  return { path, [Symbol.asyncDispose]: () => removeAll(path, parent) }
}

// As root, the database lies in a folder of the system's.
async function removeAll(path: string, parent: string): Promise<void> {
  const record = await readFile(join(path, '.tidemark/embedded.json'), 'utf8').catch(() => '{}')
  const { home } = JSON.parse(record) as { home?: string }
  if (home !== undefined && isAbsolute(home)) await rm(home, { recursive: true, force: true })
  await rm(parent, { recursive: true, force: true })
}
