import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { sectionOf } from './changelog.ts'
import { CHECKSUMS } from './checksums.ts'

const run = promisify(execFile)
/** As semver.org writes one, without what a build may add. */
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

/** Returns what stops a release of this version whatever the state of the tree: each place must name the version. */
export async function releaseFaults(root: string, version: string): Promise<string[]> {
  if (!VERSION.test(version)) return [`${version} is not a version: write three numbers, such as 0.1.0.`]
  const textOf = (path: string) => readFile(join(root, path), 'utf8')
  const faults: string[] = []
  for (const path of ['package.json', 'pulumi/package.json', 'charts/tidemark/Chart.yaml']) {
    const named = parse(await textOf(path)) as Readonly<Record<string, unknown>>
    for (const key of ['version', ...(path.endsWith('.yaml') ? ['appVersion'] : [])])
      if (named[key] !== version) faults.push(`${path}: ${key} is ${String(named[key])}. Write ${version}.`)
  }
  if (sectionOf(await textOf('CHANGELOG.md'), version) === null)
    faults.push(`CHANGELOG.md has no section for ${version}. Write what changed for users.`)
  return faults
}

/** Returns what differs between this tree and the tag of the version, of which a release is made. */
export async function treeFaults(root: string, version: string): Promise<readonly string[]> {
  const git = async (...args: readonly string[]) => (await run('git', args, { cwd: root })).stdout.trim()
  const faults: string[] = []
  if ((await git('status', '--porcelain')) !== '')
    faults.push('The tree has changes that are not committed. Commit them, or put them away.')
  const tags = (await git('tag', '--points-at', 'HEAD')).split('\n')
  if (!tags.includes(`v${version}`))
    faults.push(`This commit has no tag v${version}. Set it: git tag --sign v${version}`)
  return faults
}

/** Returns what stops a folder from being made anew: it has files, and is not a release. */
export async function folderFaults(target: string): Promise<string[]> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.length === 0 || names.includes(CHECKSUMS)) return []
  return [`${target} has files and is not a release. Name an empty folder, or one that does not exist.`]
}
