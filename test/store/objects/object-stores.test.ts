import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import { type ObjectStore, ObjectStoreError } from '../../../store/objects/object-store.ts'
import { createS3Store, type S3Options } from '../../../store/objects/s3-store.ts'
import { type Answer, openSite } from '../../support/network/site.ts'
import { isSigned } from './aws-signature.ts'

const NAME = '0a1b/f3/0a1b-c.png'
let folder: string
let server: S3rver
let s3: S3Options
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-objects-'))
  server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: join(folder, 's3'),
    configureBuckets: [{ name: 'pictures', configs: [] }],
  })
  const { port } = await server.run()
  s3 = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'pictures',
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    timeoutMs: 30_000,
  }
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function namesIn(objects: ObjectStore): Promise<string[]> {
  return (await Array.fromAsync(objects.names())).sort()
}

describe.each([
  ['a folder', () => createFolderStore(join(folder, 'images'))],
  ['a bucket', () => createS3Store(s3)],
])('objects in %s', (_, open) => {
  test('are kept as they were put, until they are removed', async () => {
    const objects = open()
    const bytes = Buffer.from([0, 255, 137, 80, 10, 13])
    expect(await objects.get(NAME)).toBeNull()
    await objects.put(NAME, bytes)
    expect(Buffer.from((await objects.get(NAME)) ?? [])).toEqual(bytes)
    expect(await namesIn(objects)).toEqual([NAME])
    await objects.put(NAME, Buffer.from('other'))
    expect(Buffer.from((await objects.get(NAME)) ?? []).toString()).toBe('other')
    await objects.remove(NAME)
    expect(await objects.get(NAME)).toBeNull()
    await objects.remove(NAME)
    expect(await namesIn(objects)).toEqual([])
    await objects.close()
  })

  test('may have some megabytes, and several are put at once', async () => {
    const objects = open()
    const bytes = Buffer.alloc(6_000_000, 7)
    const names = ['a', 'b', 'c'].map((letter) => `team/00/${letter}.png`)
    await Promise.all(names.map((name) => objects.put(name, bytes)))
    for (const name of names) expect(bytes.equals((await objects.get(name)) ?? Buffer.alloc(0))).toBe(true)
    expect(await namesIn(objects)).toEqual(names)
    for (const name of names) await objects.remove(name)
    await objects.close()
  })

  test.each(['../x.png', '/etc/passwd', 'a//b.png', 'a/../b.png', '', 'a?b.png', '.drafts/x.png'])(
    'are not reached by the name %j',
    async (name) => {
      const objects = open()
      await expect(objects.put(name, Buffer.from('x'))).rejects.toThrow(TypeError)
      await expect(objects.get(name)).rejects.toThrow(TypeError)
      await expect(objects.remove(name)).rejects.toThrow(TypeError)
      await objects.close()
    },
  )
})

describe('a folder of objects', () => {
  test('is readable by its owner only, also where it was open before, and keeps no drafts', async () => {
    const path = join(folder, 'open')
    await mkdir(path, { mode: 0o755 })
    const objects = createFolderStore(path)
    await objects.put(NAME, Buffer.from('x'))
    const mode = async (name: string) => ((await stat(join(path, name))).mode & 0o777).toString(8)
    expect(await mode('')).toBe('700')
    expect(await mode('0a1b')).toBe('700')
    expect(await mode(NAME)).toBe('600')
    expect(await readdir(join(path, '.drafts'))).toEqual([])
  })

  test('forgets what a process left behind that died while it wrote, and shows none of it', async () => {
    const path = join(folder, 'crashed')
    await mkdir(join(path, '.drafts'), { recursive: true })
    const old = join(path, '.drafts', 'old')
    const fresh = join(path, '.drafts', 'fresh')
    await writeFile(old, 'half')
    await writeFile(fresh, 'half')
    const before = new Date(Date.now() - 2 * 3_600_000)
    await utimes(old, before, before)
    const objects = createFolderStore(path)
    await objects.put(NAME, Buffer.from('whole'))
    expect(await readdir(join(path, '.drafts'))).toEqual(['fresh'])
    expect(await namesIn(objects)).toEqual([NAME])
  })

  test('that cannot be written is an error of the object store, which leaves nothing', async () => {
    const path = join(folder, 'blocked')
    await mkdir(path)
    await writeFile(join(path, '0a1b'), 'a file where a folder should be')
    const objects = createFolderStore(path)
    await expect(objects.put(NAME, Buffer.from('x'))).rejects.toThrow(ObjectStoreError)
    expect(await readdir(join(path, '.drafts'))).toEqual([])
    expect(await readFile(join(path, '0a1b'), 'utf8')).toContain('a file')
  })
})

describe('a bucket', () => {
  test.each<[string, Partial<S3Options>, string]>([
    ['that does not know us', { accessKeyId: 'nobody' }, 'InvalidAccessKeyId'],
    ['that is not there', { bucket: 'elsewhere' }, 'NoSuchBucket'],
  ])('%s refuses to take anything, and says why', async (_, wrong, reason) => {
    const objects = createS3Store({ ...s3, ...wrong })
    await expect(objects.put(NAME, Buffer.from('x'))).rejects.toThrow(reason)
    await objects.close()
  })

  test('that is not there has no missing objects, but is itself missing', async () => {
    const objects = createS3Store({ ...s3, bucket: 'elsewhere' })
    await expect(objects.get(NAME)).rejects.toThrow('no bucket elsewhere')
    await objects.close()
  })

  test('is asked with signatures over method, path, query, host and body', async () => {
    const verdicts: [string | undefined, boolean][] = []
    const judge = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        verdicts.push([request.method, isSigned(request, Buffer.concat(parts), 'S3RVER')])
        response.end()
      })
    })
    await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve))
    const { port } = judge.address() as AddressInfo
    const objects = createS3Store({ ...s3, endpoint: `http://127.0.0.1:${port}` })
    await objects.put(NAME, Buffer.from('a picture'))
    await objects.get(NAME)
    await objects.remove(NAME)
    await namesIn(objects)
    await objects.close()
    const closed = new Promise((resolve) => judge.close(resolve))
    judge.closeAllConnections()
    await closed
    expect(verdicts).toEqual([
      ['PUT', true],
      ['GET', true],
      ['DELETE', true],
      ['GET', true],
    ])
  })

  test.each([
    [503, 3],
    [403, 1],
  ])('that answers %i twice and then 200 is asked %i times', async (status, times) => {
    const otherwise: Answer = (response, _request, nth) => void response.writeHead(nth < 3 ? status : 200).end()
    await using site = await openSite({ otherwise })
    const objects = createS3Store({ ...s3, endpoint: site.origin })
    await objects.put(NAME, Buffer.from('x')).catch((error: unknown) => expect(error).toBeInstanceOf(ObjectStoreError))
    await objects.close()
    expect(site.requests).toHaveLength(times)
  })

  test.each(['nothing', 'half of an object'])(
    'that says %s and hangs is an error after one time limit',
    async (what) => {
      const otherwise: Answer = (response) => {
        if (what !== 'nothing') response.writeHead(200, { 'content-length': 100 }).write('x'.repeat(50))
      }
      await using site = await openSite({ otherwise })
      const objects = createS3Store({ ...s3, endpoint: site.origin, timeoutMs: 1_100 })
      await expect(objects.get(NAME)).rejects.toThrow(ObjectStoreError)
      await objects.close()
      expect(site.requests).toHaveLength(1)
    },
  )

  test('of a service that is away is an error after some tries', async () => {
    const objects = createS3Store({ ...s3, endpoint: 'http://127.0.0.1:9' })
    await expect(objects.get(NAME)).rejects.toThrow(ObjectStoreError)
    await objects.close()
  })
})
