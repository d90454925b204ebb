import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { sectionOf } from './changelog.ts'
import { CHECKSUMS, pathsIn } from './checksums.ts'
import { RELEASE_MANIFEST } from './release-manifest.ts'

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

/** The file that marks a folder while a release is made in it. */
export const UNFINISHED = '.tidemark-release'
/** What publishing writes beside the files of a release. */
const BESIDE = /\.sigstore\.json$|\.prov$/

/**
 * Returns what stops a folder from being made anew: it has files that are not of a release. Such a file may be the only
 * copy of a key.
 */
export async function folderFaults(target: string): Promise<string[]> {
  const paths = await pathsIn(target)
  if (paths.length === 0 || paths.includes(UNFINISHED)) return []
  const sums = paths.includes(RELEASE_MANIFEST) ? await readFile(join(target, CHECKSUMS), 'utf8').catch(() => '') : ''
  const listed = new Set(sums.split('\n').map((line) => line.slice(line.indexOf('  ') + 2)))
  const others = paths.filter((path) => path !== CHECKSUMS && !listed.has(path) && !BESIDE.test(path))
  if (others.length === 0 && sums !== '') return []
  const named = others.slice(0, 3).join(', ')
  return [`${target} has files that are not of a release (${named}). Name an empty folder, or one that does not exist.`]
}
