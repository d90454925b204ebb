import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of npm of which code is in the bundle. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** As the package names it, in SPDX. */
  readonly license: string
}

const OF_PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
const LICENSE_FILE = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i

/** Returns the folders of the packages that modules are of, in the order of their paths. */
export function foldersOfPackages(modules: readonly string[]): readonly string[] {
  const folders = modules.flatMap((path) => OF_PACKAGE.exec(path)?.[0] ?? [])
  return [...new Set(folders)].toSorted()
}

/** Reads what a package says of itself. */
export function packageIn(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as BundledPackage
  if (typeof license !== 'string') throw new Error(`${name} names no licence: leave it outside of the bundle`)
  return { name, version, license }
}

/** Returns the licences of packages as one text. Each of them asks that its text goes wherever its code does. */
export function licenseTexts(folders: readonly string[]): string {
  const sections = folders.map((folder) => {
    const { name, version, license } = packageIn(folder)
    const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file))
    const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return [`## ${name} ${version} (${license})`, ...texts].join('\n\n')
  })
  return `${[HEAD, ...sections].join('\n\n\n')}\n`
}

const HEAD = `# Licences of bundled packages

The code of these packages is part of this package. Tidemark itself has the licence in LICENSE.`
