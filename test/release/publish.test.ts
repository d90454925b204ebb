import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checksumsOf, filesOf } from '../../tools/release/checksums.ts'
import type { ReleaseManifest } from '../../tools/release/release-manifest.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

const PUBLISH = join(import.meta.dirname, '../../tools/publish-release.ts')
const DIGEST = `sha256:${'0'.repeat(64)}`
const MANIFEST: ReleaseManifest = {
  version: '9.9.9',
  commit: '0'.repeat(40),
  packages: ['npm/tidemark-9.9.9.tgz'],
  images: [
    {
      name: 'tidemark',
      repository: 'registry.example/tidemark',
      digest: DIGEST,
      archive: 'images/tidemark-9.9.9.tar',
      boms: ['sbom/image-tidemark-amd64.cdx.json'],
    },
  ],
  chart: 'charts/tidemark-9.9.9.tgz',
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let release: string
beforeAll(async () => {
  folder = await temporaryFolder()
  release = join(folder.path, 'release')
  for (const name of ['npm', 'images', 'charts', 'sbom']) await mkdir(join(release, name), { recursive: true })
  for (const path of [...MANIFEST.packages, MANIFEST.images[0]?.archive ?? '', MANIFEST.chart ?? ''])
    await writeFile(join(release, path), path)
  await writeFile(join(release, 'release.json'), JSON.stringify(MANIFEST))
  await writeFile(join(release, 'SHA256SUMS'), checksumsOf(await filesOf(release)))
})
afterAll(() => folder[Symbol.asyncDispose]())

async function publish(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { PATH: folder.path, HOME: folder.path, ...environment }
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [PUBLISH, ...args], { env, cwd: folder.path })) }
  } catch (error) {
    return error as { readonly code: number; readonly stdout: string; readonly stderr: string }
  }
}

describe('The command that publishes a release', () => {
  test('prints each command, and runs none, when it only tries', async () => {
    const { code, stdout } = await publish([release, '--dry-run', '--gpg-key', 'who'])
    expect(code).toBe(0)
    expect(stdout).toContain('crane push')
    expect(stdout).toContain(`cosign sign --yes registry.example/tidemark@${DIGEST}`)
    expect(stdout).toContain(`npm publish ${join(release, 'npm/tidemark-9.9.9.tgz')}`)
    expect(stdout).toContain('Nothing was published.')
  })

  test('publishes the kinds that are named, and no others', async () => {
    const { stdout } = await publish([release, '--dry-run', '--only', 'packages'])
    expect(stdout).toContain('npm publish')
    expect(stdout).not.toMatch(/crane|cosign|helm/)
  })

  test('lets other files be in the folder, such as settings and a key', async () => {
    await writeFile(join(release, '.env'), 'A=b')
    expect(await publish([release, '--dry-run', '--only', 'packages'])).toMatchObject({ code: 0 })
  })

  test('refuses a folder in which a file is not as it was made, and names the file', async () => {
    const path = join(release, 'charts/tidemark-9.9.9.tgz')
    await writeFile(path, 'another')
    const { code, stderr } = await publish([release, '--dry-run'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('not those of the release: charts/tidemark-9.9.9.tgz')])
    await writeFile(path, MANIFEST.chart ?? '')
  })

  test('says which program is not installed, and what to do', async () => {
    const { code, stderr } = await publish([release, '--only', 'chart'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('crane is not installed. Run npm run release-tools')])
  })

  test('asks for the password of a key before anything is published', async () => {
    const { code, stdout, stderr } = await publish([release, '--key', 'cosign.key', '--only', 'checksums'])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('Set COSIGN_PASSWORD')])
  })

  test.each([
    ['no folder', [], 2, 'Name the folder'],
    ['a folder that is not a release', ['.'], 1, 'is not a release: it has no SHA256SUMS'],
    ['two folders', ['one', 'two'], 2, 'One folder is published'],
    ['a kind that it does not have', ['.', '--only', 'images,pictures'], 2, 'pictures is none of these'],
    ['an option that it does not have', ['.', '--force'], 2, '--force'],
  ])('refuses %s', async (_, args, expected, says) => {
    const { code, stderr } = await publish(args)
    expect([code, stderr]).toEqual([expected, expect.stringContaining(says)])
    expect(stderr).not.toContain('    at ')
  })
})
