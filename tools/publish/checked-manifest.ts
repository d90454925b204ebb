import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKSUMS, checksumsOf, filesOf } from '../release/checksums.ts'
import { RELEASE_MANIFEST, type ReleaseManifest } from '../release/release-manifest.ts'
import { PublishError } from './publish-error.ts'

/** What publishing writes beside the files of a release. */
export const BUNDLE = '.sigstore.json'
const PROVENANCE_OF_HELM = '.prov'

/** Returns what a folder has to publish. Throws a PublishError where a file is not as it was when it was made. */
export async function checkedManifest(folder: string): Promise<ReleaseManifest> {
  const sums = await readFile(join(folder, CHECKSUMS), 'utf8').catch(() => null)
  if (sums === null) throw new PublishError(`${folder} is not a release: it has no ${CHECKSUMS}. Run npm run release.`)
  const isOfRelease = (path: string) =>
    path !== CHECKSUMS && !path.endsWith(BUNDLE) && !path.endsWith(PROVENANCE_OF_HELM)
  const found = checksumsOf((await filesOf(folder)).filter(({ path }) => isOfRelease(path)))
  const changed = differing(sums, found)
  if (changed.length > 0)
    throw new PublishError(
      `These files are not those of the release: ${changed.join(', ')}. Run npm run release again.`,
    )
  return JSON.parse(await readFile(join(folder, RELEASE_MANIFEST), 'utf8')) as ReleaseManifest
}

/** Returns the files that are in one list only, or with another hash. */
function differing(one: string, other: string): readonly string[] {
  const [a, b] = [one, other].map((text) => new Set(text.trim().split('\n')))
  const lines = [...(a ?? []), ...(b ?? [])].filter((line) => a?.has(line) !== b?.has(line))
  return [...new Set(lines.map((line) => line.slice(line.indexOf('  ') + 2)))].toSorted()
}
