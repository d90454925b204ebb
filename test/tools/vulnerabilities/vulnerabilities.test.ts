import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Component } from '../../../tools/vulnerabilities/component.ts'
import { findVulnerabilities } from '../../../tools/vulnerabilities/find-vulnerabilities.ts'
import { imageComponents } from '../../../tools/vulnerabilities/image-components.ts'
import { lockedComponents } from '../../../tools/vulnerabilities/locked-components.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { debianPackage, npmPackage, writeImage, writeRecords, writeRepository } from './osv-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (...parts: readonly string[]) => join(folder.path, ...parts)
beforeAll(async () => {
  folder = await temporaryFolder()
  await writeRepository(at('repository'))
  await writeImage(at('sbom'), 'one', [
    'pkg:deb/debian/libinvented6@1:1.9-1+b2?upstream=invented@1:1.9-1+deb12u1',
    'pkg:deb/debian/invented%2Btool@3?upstream=invented%402.0',
    'pkg:deb/debian/no-source@1%3A1.0',
    'pkg:npm/%40deep/inside@1.5.0',
    'pkg:generic/node@24.0.0',
  ])
  await writeRecords(at('osv/npm'), {
    'TEST-runs': { affected: [npmPackage('runs')], aliases: ['CVE-1999-1', 'CVE-1999-2'] },
    'TEST-inside': {
      affected: [npmPackage('@deep/inside')],
      aliases: ['TEST-same'],
      database_specific: { severity: 'HIGH' },
    },
    'TEST-tests': { affected: [npmPackage('tests'), npmPackage('peer-of-tests')] },
    'TEST-alias': { affected: [npmPackage('alias'), npmPackage('by-another-name')] },
    'TEST-page': { affected: [npmPackage('page-part')] },
    'TEST-other': {
      affected: [npmPackage('other'), { ...npmPackage('runs'), package: { ecosystem: 'PyPI', name: 'runs' } }],
    },
    'TEST-withdrawn': { affected: [npmPackage('runs')], withdrawn: '2026-01-02T00:00:00Z' },
  })
  await writeRecords(at('osv/Debian:12'), {
    'DEBIAN-CVE-1999-3': {
      summary: 'of Debian',
      affected: [debianPackage('invented'), debianPackage('no-source', '11')],
    },
    'TEST-binary': { affected: [debianPackage('libinvented6')] },
    'TEST-unimportant': {
      affected: [{ ...debianPackage('invented'), ecosystem_specific: { urgency: 'unimportant' } }],
    },
  })
})
afterAll(() => folder[Symbol.asyncDispose]())

const search = (components: readonly Component[]) => {
  const { findings, ...rest } = findVulnerabilities(at('osv'), components, () => {})
  return {
    ...rest,
    found: findings.map((one) => `${one.id} ${one.package} ${one.version} ${one.uses.join(', ')}`),
    findings,
  }
}

describe('The vulnerabilities of lockfiles', () => {
  test('have the uses of their package, and begin with what runs', async () => {
    const { found, findings } = search(await lockedComponents(at('repository'), ['page']))
    expect(found).toEqual([
      'TEST-inside @deep/inside 1.5.0 service',
      'TEST-alias by-another-name 1.0.0 service',
      'TEST-page page-part 1.0.0 dashboard, development',
      'TEST-runs runs 1.0.0 pulumi, service',
      'TEST-tests peer-of-tests 1.0.0 development',
      'TEST-tests tests 1.0.0 development',
    ])
    expect(findings.map(({ runs }) => runs)).toEqual([true, true, true, true, false, false])
    expect(findings[0]).toMatchObject({ fixedIn: '2.0.0', severity: 'HIGH', cves: [] })
    expect(findings[3]).toMatchObject({ cves: ['CVE-1999-1', 'CVE-1999-2'], summary: 'what TEST-runs does' })
  })

  test('are looked for in the lockfiles of this repository, where what the dashboard is built of runs', async () => {
    const components = await lockedComponents(ROOT, ['react'])
    const usesOf = (name: string) => components.filter((one) => one.name === name).map(({ use }) => use)
    expect(usesOf('undici')).toContain('service')
    expect(usesOf('react')).toEqual(['dashboard'])
    expect(usesOf('vitest')).toEqual(['development'])
    // The provider takes that of the program.
    expect(usesOf('@pulumi/pulumi')).toEqual(['development'])
  })
})

describe('The vulnerabilities of images', () => {
  test('are those of source packages on this release of Debian, and of packages of npm', async () => {
    const { components, withoutSource } = await imageComponents(at('sbom'))
    expect(withoutSource).toEqual(['no-source'])
    const { found, unimportant, findings } = search(components)
    expect(found).toEqual([
      'TEST-inside @deep/inside 1.5.0 image one',
      'DEBIAN-CVE-1999-3 invented+tool 2.0 image one',
      'DEBIAN-CVE-1999-3 libinvented6 1:1.9-1+deb12u1 image one',
    ])
    expect(unimportant).toBe(1)
    expect(findings[1]).toMatchObject({ cves: ['CVE-1999-3'], fixedIn: '1:2.0-1' })
  })
})

async function vulnerabilities(...args: readonly string[]) {
  const command = [join(ROOT, 'tools/vulnerabilities.ts'), ...args]
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, command)) }
  } catch (error) {
    return error as { readonly code: number; readonly stdout: string; readonly stderr: string }
  }
}

describe('The command', () => {
  test('ends with 0 where nothing that runs has one', async () => {
    const { code, stdout, stderr } = await vulnerabilities(at('osv'))
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/^10 records, \d+ packages: 0 vulnerabilities in what runs, 0 in/m)
  })

  test('prints a table and ends with 1 where an image has one', async () => {
    const { code, stdout, stderr } = await vulnerabilities(at('osv'), '--sbom', at('sbom'))
    expect(code).toBe(1)
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'PACKAGE        VERSION          USED IN    ID                              FIXED IN  SUMMARY',
      '@deep/inside   1.5.0            image one  TEST-inside                     2.0.0     what TEST-inside does',
      'invented+tool  2.0              image one  DEBIAN-CVE-1999-3 (CVE-1999-3)  1:2.0-1   of Debian',
    ])
    expect(stderr).toContain('because no source is named: no-source.')
    expect(stderr).toContain('because Debian calls them unimportant: 1 records.')
  })

  test('leaves out what is ignored until its day, and says what has expired or matches nothing', async () => {
    const file = at('ignored.yaml')
    const entry = (id: string, until: string) => `- { id: ${id}, reason: not called, until: ${until} }\n`
    const entries = [entry('TEST-same', '9999-12-31'), entry('DEBIAN-CVE-1999-3', '2000-01-01')]
    await writeFile(file, [...entries, entry('TEST-none', '9999-12-31')].join(''))
    const { code, stdout, stderr } = await vulnerabilities(at('osv'), '--sbom', at('sbom'), '--ignore', file, '--json')
    const ids = (JSON.parse(stdout) as readonly { readonly id: string }[]).map(({ id }) => id)
    expect([code, ids]).toEqual([1, ['DEBIAN-CVE-1999-3', 'DEBIAN-CVE-1999-3']])
    expect(stderr).toContain('DEBIAN-CVE-1999-3 counts again: it was ignored until 2000-01-01 (not called).')
    expect(stderr).toContain('TEST-none is ignored, and nothing has it.')
  })

  test.each([
    ['no folder', [], 'Name the folder with the data of OSV.'],
    ['two folders', ['one', 'two'], 'One folder is read'],
    ['an option that it does not have', ['osv', '--fix'], '--fix'],
    ['a folder that does not exist', ['nothing/here'], 'is no folder'],
    ['a folder without records', ['EMPTY'], 'has no records of npm. Unpack all.zip'],
    ['a folder with other JSON', [join(ROOT, 'api')], 'openapi.json is no record of OSV'],
    ['images without records of Debian', ['NPM', '--sbom', 'SBOM'], 'has no records of Debian:12'],
    ['a folder without lists of images', ['OSV', '--sbom', 'EMPTY'], 'has no image-*.cdx.json'],
    ['an entry to ignore without a reason', ['OSV', '--ignore', 'IGNORED'], 'entry 1 needs id, reason and until'],
  ])('refuses %s', async (_, args, says) => {
    await mkdir(at('empty'), { recursive: true })
    await writeFile(at('unfounded.yaml'), '- { id: TEST-runs, until: 2026-12-31 }\n')
    const paths: Readonly<Record<string, string>> = {
      EMPTY: at('empty'),
      NPM: at('osv/npm'),
      OSV: at('osv'),
      SBOM: at('sbom'),
      IGNORED: at('unfounded.yaml'),
    }
    const { code, stdout, stderr } = await vulnerabilities(...args.map((arg) => paths[arg] ?? arg))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
    expect(stderr).not.toContain('    at ')
  })
})
