import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { npmClosure } from '../../images/npm-closure.ts'
import { JUDGES_ADVICE, JUDGES_PYTHON } from '../support/judges/python.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { describeIf } from '../support/run/skip.ts'

// Two packages are built. Images have a test of their own, and `npm run test:release` makes a whole release.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 180_000 })

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }

async function release(...args: readonly string[]) {
  try {
    const command = [join(ROOT, 'tools/release.ts'), '--without-images', ...args]
    return { code: 0, ...(await run(process.execPath, command)) }
  } catch (error) {
    return error as { readonly code: number; readonly stdout: string; readonly stderr: string }
  }
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let target: string
beforeAll(async () => {
  folder = await temporaryFolder()
  target = join(folder.path, 'release')
  const { code, stderr } = await release('--dry-run', version, '--to', target)
  if (code !== 0) throw new Error(stderr)
})
afterAll(() => folder[Symbol.asyncDispose]())

const jsonOf = async (path: string): Promise<unknown> => JSON.parse(await readFile(join(target, path), 'utf8'))
const checkSums = (path: string) => run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: path })

describe('The folder of a release', () => {
  test('has the packages, the definitions, what each is made of, and how they were made', async () => {
    const entries = await readdir(target, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
    expect(files.toSorted()).toEqual(
      [
        ...['CHANGES.md', 'SHA256SUMS', 'crds.yaml', 'openapi.json', 'provenance.intoto.json', 'release.json'],
        ...['npm-pulumi.cdx.json', 'npm-tidemark.cdx.json'],
        ...[`tidemark-${version}.tgz`, `tidemark-pulumi-${version}.tgz`],
      ].toSorted(),
    )
    const definitions = await readFile(join(target, 'crds.yaml'), 'utf8')
    expect(definitions.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(2)
  })

  test('has checksums of all its files, which fail when one byte is different', async () => {
    await checkSums(target)
    const changed = join(folder.path, 'changed')
    await mkdir(join(changed, 'npm'), { recursive: true })
    await mkdir(join(changed, 'sbom'))
    const sums = await readFile(join(target, 'SHA256SUMS'), 'utf8')
    const paths = sums.match(/(?<= {2}).*$/gm) ?? []
    for (const path of ['SHA256SUMS', ...paths]) await copyFile(join(target, path), join(changed, path))
    await checkSums(changed)
    const bytes = await readFile(join(changed, 'openapi.json'))
    bytes[100] = (bytes[100] ?? 0) ^ 1
    await writeFile(join(changed, 'openapi.json'), bytes)
    await expect(checkSums(changed)).rejects.toMatchObject({ stdout: 'openapi.json: FAILED\n' })
  })

  test('names the commit, the lockfiles and the hash of each file that was made', async () => {
    const sums = await readFile(join(target, 'SHA256SUMS'), 'utf8')
    const { subject, predicate } = (await jsonOf('provenance.intoto.json')) as {
      readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[]
      readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: readonly object[] } }
    }
    const lines = subject.map(({ name, digest }) => `${digest.sha256}  ${name}`)
    expect(sums.split('\n')).toEqual(expect.arrayContaining(lines))
    expect(lines).toHaveLength(sums.split('\n').length - 2)
    const gitCommit = (await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT })).stdout.trim()
    expect(predicate.buildDefinition.resolvedDependencies).toMatchObject([
      { digest: { gitCommit } },
      { name: 'package-lock.json' },
      { name: 'pulumi/package-lock.json' },
    ])
  })

  test('lists each package that runs with its version, and none that only tests need', async () => {
    const { components, metadata } = (await jsonOf('sbom/npm-tidemark.cdx.json')) as {
      readonly components: readonly { readonly name: string; readonly version: string }[]
      readonly metadata: { readonly component: object }
    }
    const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    const versions = Object.fromEntries(components.map((one) => [one.name, one.version]))
    expect(versions).toMatchObject(dependencies)
    // As Node finds them, which is how images get theirs.
    const found = await npmClosure(ROOT, Object.keys(dependencies))
    const names = found.map((path) => path.replace(/^.*node_modules\//, ''))
    expect(Object.keys(versions)).toEqual(expect.arrayContaining(names))
    for (const name of ['vitest', 'typescript', 'rolldown']) expect(versions).not.toHaveProperty(name)
    expect(metadata.component).toMatchObject({ name: 'tidemark', version })
  })

  describeIf(JUDGES_PYTHON !== null, JUDGES_ADVICE)('as their own libraries read it', () => {
    test('has lists by the schema of CycloneDX, and a statement by that of in-toto and SLSA', async () => {
      const judge = [join(import.meta.dirname, 'judge-release.py'), target]
      expect((await run(JUDGES_PYTHON ?? '', judge)).stdout).toBe('[]\n')
    })
  })
})

describe('The command of a release', () => {
  test('refuses a version that the tree does not have, and says where to write it', async () => {
    const { code, stderr } = await release('--dry-run', '99.0.0', '--to', join(folder.path, 'other'))
    expect(code).toBe(1)
    for (const path of ['package.json', 'pulumi/package.json', 'charts/tidemark/Chart.yaml', 'CHANGELOG.md'])
      expect(stderr).toMatch(new RegExp(`^${path}.*99\\.0\\.0`, 'm'))
  })

  test('refuses a folder with files of somebody else, and keeps them', async () => {
    const own = join(folder.path, 'own')
    await mkdir(own)
    await writeFile(join(own, 'letter.txt'), 'dear reader')
    const { code, stderr } = await release('--dry-run', version, '--to', own)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${own} has files that are not of a release (letter`)])
    expect(await readdir(own)).toEqual(['letter.txt'])
  })

  test('keeps a folder of another kind that has checksums, and a release to which a key was added', async () => {
    const images = join(folder.path, 'disk-images')
    await mkdir(images)
    for (const name of ['SHA256SUMS', 'system.iso']) await writeFile(join(images, name), `00  system.iso\n`)
    const used = join(folder.path, 'used')
    await cp(target, used, { recursive: true })
    await writeFile(join(used, '.env'), 'TIDEMARK_ENCRYPTION_KEY=the-only-copy\n')
    for (const [to, name] of [
      [images, 'system.iso'],
      [used, '.env'],
    ] as const) {
      const refused = await release('--dry-run', version, '--to', to)
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(name)])
      expect(await readdir(to)).toContain(name)
    }
  })

  test('asks for the tag of the version, unless it only tries', async () => {
    const { code, stderr } = await release(version, '--to', join(folder.path, 'tagged'))
    expect([code, stderr]).toEqual([1, expect.stringContaining(`no tag v${version}. Set it: git tag`)])
  })

  test.each([
    ['no version', [], 'Name the version'],
    ['what is no version', ['--dry-run', '1.0'], 'write three numbers'],
    ['two versions', ['0.1.0', '0.2.0'], 'One version is released'],
    ['an option that it does not have', ['--publish', '0.1.0'], '--publish'],
  ])('refuses %s', async (_, args, says) => {
    const { code, stderr } = await release(...args)
    expect(code).toBeGreaterThan(0)
    expect(stderr).toContain(says)
    expect(stderr).not.toContain('    at ')
  })
})
