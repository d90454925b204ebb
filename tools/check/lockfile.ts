import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

/** For each package, the lowest version without a known vulnerability that an attacker could use here. */
const FLOORS: Readonly<Record<string, string>> = {
  '@fastify/proxy-addr': '5.1.1',
  '@xmldom/xmldom': '0.9.12',
  fastify: '5.12.8',
  'ipaddr.js': '2.5.0',
  'json-p3': '2.3.1',
  nodemailer: '10.4.1',
  'playwright-core': '1.64.1',
  slonik: '49.10.9',
  undici: '8.12.4',
}

/** The other lockfiles are of tools that people run themselves, and that read no untrusted input. */
const SERVICE = 'package-lock.json'

interface Entry {
  version?: string
  resolved?: string
  link?: boolean
}

export const lockfile: Check = {
  name: 'lockfile',
  faults: ({ files }) =>
    files
      .filter(({ path }) => /(^|\/)package-lock\.json$/.test(path))
      .flatMap((file) => lockfileFaults(file, file.path === SERVICE ? FLOORS : {})),
}

/** Returns the packages that are below their lowest version, and those that are tied to one registry's address. */
export function lockfileFaults({ path, text }: SourceFile, floors: Readonly<Record<string, string>>): string[] {
  const { packages = {} } = JSON.parse(text) as { packages?: Record<string, Entry> }
  return Object.entries(packages).flatMap(([place, entry]) => {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const floor = place === '' ? undefined : floors[name]
    const faults: string[] = []
    if (entry.resolved !== undefined && entry.link !== true) {
      faults.push(`${path}: ${place} is resolved to an address: .npmrc has omit-lockfile-registry-resolved`)
    }
    if (floor !== undefined && entry.version !== undefined && isBelow(entry.version, floor)) {
      faults.push(`${path}: ${place} is ${entry.version}; it has known vulnerabilities below ${floor}`)
    }
    return faults
  })
}

// Versions are plain: a pre-release counts as the version that it leads to.
function isBelow(version: string, floor: string): boolean {
  const [a, b] = [version, floor].map((text) => (text.split('-', 1)[0] ?? '').split('.').map(Number))
  for (const [index, least] of (b ?? []).entries()) {
    const part = a?.[index] ?? 0
    if (part !== least) return part < least
  }
  return false
}
