import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKSUMS, checksumsOf, filesOf } from '../release/checksums.ts'
import { RELEASE_MANIFEST, type ReleaseManifest } from '../release/release-manifest.ts'
import { PublishError } from './publish-error.ts'

/** What publishing writes beside the files of a release. */
export const BUNDLE = '.sigstore.json'

/** Returns what a folder has to publish. Throws a PublishError where a file is not as it was when it was made. */
export async function checkedManifest(folder: string): Promise<ReleaseManifest> {
  const sums = await readFile(join(folder, CHECKSUMS), 'utf8').catch(() => null)
  if (sums === null) throw new PublishError(`${folder} is not a release: it has no ${CHECKSUMS}. Run npm run release.`)
  const found = new Set(
    checksumsOf(await filesOf(folder))
      .trim()
      .split('\n'),
  )
  // The folder may have others: a key, settings, what publishing writes.
  const changed = sums
    .trim()
    .split('\n')
    .filter((line) => !found.has(line))
    .map((line) => line.slice(line.indexOf('  ') + 2))
  if (changed.length > 0)
    throw new PublishError(
      `These files are not those of the release: ${changed.join(', ')}. Run npm run release again.`,
    )
  return JSON.parse(await readFile(join(folder, RELEASE_MANIFEST), 'utf8')) as ReleaseManifest
}
