import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { npmClosure } from '../../images/npm-closure.ts'
import { type Component, DEVELOPMENT, InputError } from './component.ts'

/** A package in a lockfile. */
interface Locked {
  /** Where it differs from that of its folder. */
  readonly name?: string
  readonly version?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
}

/** The lockfiles, each with the use of what runs. */
const LOCKS = { 'package-lock.json': 'service', 'pulumi/package-lock.json': 'pulumi' } as const

/**
 * Returns the packages of the lockfiles. Those of the dashboard are for developers by the lockfile, but what is built
 * of them runs in browsers: `dashboard` names them.
 */
export async function lockedComponents(root: string, dashboard: readonly string[]): Promise<readonly Component[]> {
  const inBrowsers = new Set(await npmClosure(root, dashboard))
  const found: Component[] = []
  for (const [lock, use] of Object.entries(LOCKS)) {
    const isInBrowsers = (path: string) => lock === 'package-lock.json' && inBrowsers.has(path)
    for (const [path, one] of Object.entries(await packagesOf(root, lock))) {
      if (path === '' || one.version === undefined) continue
      const name = one.name ?? path.replace(/^.*node_modules\//, '')
      const isForDevelopers = one.dev === true || one.devOptional === true
      const usedBy = isInBrowsers(path) ? 'dashboard' : DEVELOPMENT
      const component = { ecosystem: 'npm', name, installedAs: name, version: one.version } as const
      found.push({ ...component, use: isForDevelopers ? usedBy : use })
    }
  }
  return found
}

async function packagesOf(root: string, lock: string): Promise<Readonly<Record<string, Locked>>> {
  const text = await readFile(join(root, lock), 'utf8')
  const { packages } = JSON.parse(text) as { readonly packages?: Readonly<Record<string, Locked>> }
  if (packages === undefined) throw new InputError(`${lock} has no packages. Write it again with npm install.`)
  return packages
}
