import type { SourceFile } from '../check/source-file.ts'
import type { PublicInterface } from './public-interface.ts'

export const RELEASES = 'releases'
const FILE = /^releases\/([^/]+)\/(.+)$/

/** What was public in each version that is recorded, the newest first. */
export function released(files: readonly SourceFile[]): readonly (readonly [version: string, PublicInterface])[] {
  const versions = new Map<string, Map<string, string>>()
  for (const { path, text } of files) {
    const [, version, name] = FILE.exec(path) ?? []
    if (version === undefined || name === undefined) continue
    const known = versions.get(version) ?? new Map<string, string>()
    versions.set(version, known.set(name, text))
  }
  return [...versions].toSorted(([a], [b]) => compareVersions(b, a))
}

/** Orders versions as semver.org does, as far as their numbers say; a version comes after those that lead to it. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.replace(/-.*$/, '').split('.').map(Number))
  for (let index = 0; index < 3; index++) {
    const difference = (x?.[index] ?? 0) - (y?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (a.includes('-') === b.includes('-')) return a.localeCompare(b, 'en', { numeric: true })
  return a.includes('-') ? -1 : 1
}
