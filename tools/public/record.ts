import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sourceFiles } from '../check/source-file.ts'
import { publicInterface } from './public-interface.ts'
import { released, RELEASES } from './released.ts'

const run = promisify(execFile)

/**
 * Writes what is public in this tree into `releases/VERSION/`. Returns why not, if the version is released: its tag
 * exists, and what it had stays written down.
 */
export async function record(root: string, version: string): Promise<string | null> {
  const { stdout } = await run('git', ['tag', '--list', `v${version}`], { cwd: root })
  if (stdout.trim() !== '') return `${version} is released: what it has is written down, and stays.`
  const folder = join(root, RELEASES, version)
  await rm(folder, { recursive: true, force: true })
  for (const [name, text] of await publicInterface(await sourceFiles(root))) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return null
}

/** Returns what is wrong with the record of a version that is to be released: it is what the tree has. */
export async function recordFaults(root: string, version: string): Promise<string[]> {
  const files = await sourceFiles(root)
  const [, recorded] = released(files).find(([name]) => name === version) ?? []
  const now = await publicInterface(files)
  const differing = [...now].filter(([name, text]) => recorded?.get(name) !== text).map(([name]) => name)
  for (const name of recorded?.keys() ?? []) if (!now.has(name)) differing.push(name)
  if (differing.length === 0) return []
  return [
    `releases/${version} is not what is public in this tree (${differing.join(', ')}). Write it, and commit it: ` +
      `npm run release -- --record ${version}`,
  ]
}
