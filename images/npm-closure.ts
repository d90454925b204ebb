import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/**
 * Returns the folders of packages, relative to the root of the repository, with all that they depend on, as Node
 * resolves it. Optional dependencies and peers count where they are installed; optional peers do not count.
 */
export async function npmClosure(
  root: string,
  names: readonly string[],
  leftOut: readonly string[] = [],
): Promise<readonly string[]> {
  const found = new Set<string>()
  const waiting = names.map((name) => ({ name, from: root, isNeeded: true }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, from, isNeeded } = next
    if (leftOut.includes(name)) continue
    const folder = packageFolder(root, from, name)
    if (folder === null) {
      if (isNeeded) throw new Error(`the package ${name} is not installed: run npm ci`)
      continue
    }
    if (found.has(folder)) continue
    found.add(folder)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      await readFile(join(root, folder, 'package.json'), 'utf8'),
    ) as Manifest
    const inner = join(root, folder)
    for (const key of Object.keys(dependencies ?? {}))
      waiting.push({ name: key, from: inner, isNeeded: !Object.hasOwn(optionalDependencies ?? {}, key) })
    const peers = Object.keys(peerDependencies ?? {}).filter((key) => peerDependenciesMeta?.[key]?.optional !== true)
    for (const key of [...Object.keys(optionalDependencies ?? {}), ...peers])
      waiting.push({ name: key, from: inner, isNeeded: false })
  }
  return [...found].toSorted()
}

/** Returns where Node finds a package that a file in the folder `from` imports. */
function packageFolder(root: string, from: string, name: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate.slice(root.length).replace(/^\//, '')
    if (folder === root || folder === dirname(folder)) return null
  }
}
