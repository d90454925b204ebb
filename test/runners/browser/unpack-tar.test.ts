import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unpackTar } from '../../../runners/browser/chromium/unpack-tar.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-tar-'))
})

afterEach(() => rm(folder, { recursive: true }))

function entry(name: string, content = '', { type = '0', mode = '0000644' } = {}): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write(mode, 100)
  header.write(content.length.toString(8).padStart(11, '0'), 124)
  header.write(type, 156)
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512)
  body.write(content)
  return Buffer.concat([header, body])
}
const archive = (...entries: Buffer[]) => Buffer.concat([...entries, Buffer.alloc(1024)])

test('files come out as they went in, in their folders, executable where they were', async () => {
  const long = 'x'.repeat(1_300)
  await unpackTar(
    archive(entry('lib/', '', { type: '5' }), entry('lib/a.so', long, { mode: '0000755' }), entry('b', 'b')),
    folder,
  )
  expect(await readFile(join(folder, 'lib/a.so'), 'utf8')).toBe(long)
  expect((await stat(join(folder, 'lib/a.so'))).mode & 0o777).toBe(0o755)
  expect(await readFile(join(folder, 'b'), 'utf8')).toBe('b')
})

test.each([
  ['leads out of the folder', entry('../out', 'x')],
  ['leads out of it later', entry('a/../../out', 'x')],
  ['is absolute', entry('/tmp/out', 'x')],
  ['is a link', entry('link', '', { type: '2' })],
])('an entry that %s is refused', async (_, bad) => {
  await expect(unpackTar(archive(bad), folder)).rejects.toThrow('the archive contains')
})
