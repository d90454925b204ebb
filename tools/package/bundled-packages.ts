import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { STANDARD_LICENSES } from './standard-licenses.ts'

/** A package of npm of which code is in the bundle. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** As the package names it, in SPDX. */
  readonly license: string
}

const OF_PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
const LICENSE_FILE = /^(?:(?:un)?licen[cs]e|copying)(?:[.-].*)?$/i
const NOTICE_FILE = /^notice(?:[.-].*)?$/i
const README_FILE = /^readme(?:\..*)?$/i
/** The section of a README that is about the licence, to the next heading of its level or above. */
const LICENSE_SECTION = /^(#{1,3}) *licen[cs]e *#*\n(?<text>[^]*?)(?=^#{1,3} |(?![^]))/im
/** What a text of a licence says, and a reference to one does not. */
const GRANT = /permission is hereby granted|permission to use, copy|redistribution and use/i

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

/**
 * Returns the licences of packages as one text. Most ask that their text goes wherever the code does, and some ask
 * where its source is. Throws where a package has no text of its licence, and the licence has no standard text.
 */
export function licenseTexts(folders: readonly string[]): string {
  const sections = folders.map((folder) => {
    const { name, version, license } = packageIn(folder)
    const source = `Source: https://www.npmjs.com/package/${name}/v/${version}`
    return [`## ${name} ${version} (${license})`, source, ...textsIn(folder)].join('\n\n')
  })
  return `${[HEAD, ...sections].join('\n\n\n')}\n`
}

/** Returns what a package has: files of its licence, else the section of its README, else the standard text. */
function textsIn(folder: string): readonly string[] {
  const names = readdirSync(folder).toSorted()
  const textsOf = (pattern: RegExp) =>
    names.filter((file) => pattern.test(file)).map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const files = textsOf(LICENSE_FILE)
  const notices = textsOf(NOTICE_FILE)
  if (files.length > 0) return [...files, ...notices]
  const [section] = textsOf(README_FILE).flatMap((text) => LICENSE_SECTION.exec(text)?.groups?.['text'] ?? [])
  return [section !== undefined && GRANT.test(section) ? section.trim() : standardText(folder), ...notices]
}

function standardText(folder: string): string {
  const { name, license } = packageIn(folder)
  const text = STANDARD_LICENSES[license]
  if (!text) throw new Error(`${name} has no text of its licence ${license}: leave it outside of the bundle`)
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Authored
  // As `name <address> (page)`.
  const [person = ''] = (typeof author === 'string' ? author : (author?.name ?? '')).split(/ *[<(]/)
  return text(person || `the authors of ${name}`)
}

interface Authored {
  readonly author?: string | { readonly name?: string }
}

const HEAD = `# Licences of bundled packages

The code of these packages is part of this package. Tidemark itself has the licence in LICENSE.`
