import { execFile } from 'node:child_process'
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeImageArchive } from '../../images/image-archive.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

const run = promisify(execFile)
const JOIN = join(import.meta.dirname, '../../images/join-archives.ts')
const IMAGE = { name: 'small:1', entrypoint: ['/a'], environment: { A: 'b' } }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let root: string
beforeAll(async () => {
  folder = await temporaryFolder()
  root = join(folder.path, 'root')
  await mkdir(join(root, 'c'), { recursive: true })
  for (const path of ['b', 'c/a', 'a']) await writeFile(join(root, path), path.repeat(1_000))
})
afterAll(() => folder[Symbol.asyncDispose]())

const inFolder = (name: string) => join(folder.path, name)
const json = async (archive: string, path: string) =>
  JSON.parse((await run('tar', ['-xOf', archive, `./${path}`])).stdout)
const blob = (archive: string, { digest }: { digest: string }) => json(archive, `blobs/${digest.replace(':', '/')}`)
const sum = async (script: string, ...args: readonly string[]) =>
  (await run('bash', ['-c', `${script} | sha256sum`, 'bash', ...args])).stdout.slice(0, 64)

test.each([false, true])(
  'An image archive is the same byte for byte when it is made again (compressed: %s)',
  async (isCompressed) => {
    const [first, second] = [inFolder(`first-${isCompressed}.tar`), inFolder(`second-${isCompressed}.tar`)]
    await writeImageArchive(root, { ...IMAGE, isCompressed }, first)
    const umask = process.umask(0o077)
    await writeImageArchive(root, { ...IMAGE, isCompressed }, second).finally(() => process.umask(umask))
    expect(await sum('cat "$1"', second)).toBe(await sum('cat "$1"', first))
    // What was used, and when, is not in it.
    const { stdout } = await run('tar', ['-tvf', first, '--full-time', '--utc'])
    for (const line of stdout.trim().split('\n')) expect(line).toMatch(/ 0\/0 .* 1970-01-01 00:00:00 /)
  },
)

test('A compressed layer is named by its bytes, and its configuration says what it unpacks to', async () => {
  const archive = inFolder('compressed.tar')
  await writeImageArchive(root, { ...IMAGE, isCompressed: true }, archive)
  const [named] = (await json(archive, 'index.json')).manifests
  const { config, layers } = await blob(archive, named)
  const { rootfs, architecture } = await blob(archive, config)
  expect(architecture).toBe(process.arch === 'arm64' ? 'arm64' : 'amd64')
  const [layer] = layers
  expect(layer.mediaType).toBe('application/vnd.oci.image.layer.v1.tar+gzip')
  const path = `./blobs/${layer.digest.replace(':', '/')}`
  expect(layer.digest).toBe(`sha256:${await sum('tar -xOf "$1" "$2"', archive, path)}`)
  expect(rootfs.diff_ids).toEqual([`sha256:${await sum('tar -xOf "$1" "$2" | gunzip', archive, path)}`])
  expect((await json(archive, 'manifest.json'))[0].Layers).toEqual([path.slice(2)])
  const { stdout } = await run('bash', ['-c', 'tar -xOf "$1" "$2" | tar -tz', 'bash', archive, path])
  expect(stdout).toBe('./\n./a\n./b\n./c/\n./c/a\n')
})

test('The archives of two architectures become one index, whatever their order', async () => {
  const archives = []
  for (const architecture of ['amd64', 'arm64'] as const) {
    archives.push(inFolder(`${architecture}.tar`))
    await utimes(join(root, 'a'), archives.length, archives.length)
    await writeImageArchive(root, { ...IMAGE, architecture }, archives.at(-1) ?? '')
  }
  const [both, again] = [inFolder('both.tar'), inFolder('again.tar')]
  await run(process.execPath, [JOIN, both, ...archives])
  await run(process.execPath, [JOIN, again, ...archives.toReversed()])
  expect(await readFile(again)).toEqual(await readFile(both))
  // Docker without a store of containerd reads this one.
  expect(await json(both, 'manifest.json')).toEqual(await json(archives[0] ?? '', 'manifest.json'))
  const [named, ...others] = (await json(both, 'index.json')).manifests
  expect([named.mediaType, others]).toEqual(['application/vnd.oci.image.index.v1+json', []])
  expect(named.annotations['io.containerd.image.name']).toBe('docker.io/library/small:1')
  const { manifests } = await blob(both, named)
  expect(manifests.map((one: { platform: object }) => one.platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ])
  for (const manifest of manifests) {
    const { config, layers } = await blob(both, manifest)
    const { rootfs, architecture } = await blob(both, config)
    expect(architecture).toBe(manifest.platform.architecture)
    expect(rootfs.diff_ids).toEqual([layers[0].digest])
  }
  await writeImageArchive(root, { ...IMAGE, name: 'other:1' }, inFolder('other.tar'))
  await expect(run(process.execPath, [JOIN, again, archives[0] ?? '', inFolder('other.tar')])).rejects.toThrow(
    /different images: .*small:1, .*other:1/,
  )
})
