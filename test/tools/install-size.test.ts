import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MB = 2 ** 20

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}

/** Returns the bytes of the disk that a folder takes, as `du` counts them: what several names lead to counts once. */
async function bytesOf(path: string, seen: Set<number>): Promise<number> {
  const found = await lstat(path).catch(() => null)
  if (found === null || seen.has(found.ino)) return 0
  seen.add(found.ino)
  const names = found.isDirectory() ? await readdir(path) : []
  const within = await Promise.all(names.map((name) => bytesOf(join(path, name), seen)))
  return within.reduce((sum, bytes) => sum + bytes, found.blocks * 512)
}

test('npm ci takes at most 700 MB of the disk, and what runs at most 400 MB of these', async () => {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile
  // Those within another package are counted with it.
  const top = Object.entries(packages).filter(([path]) => path.split('node_modules/').length === 2)
  const seen = new Set<number>()
  let [all, runs] = [0, 0]
  for (const [path, { dev = false }] of top) {
    const bytes = await bytesOf(join(ROOT, path), seen)
    all += bytes
    if (!dev) runs += bytes
  }
  // Less than this is no installation.
  expect(runs).toBeGreaterThan(200 * MB)
  expect(runs).toBeLessThan(400 * MB)
  expect(all).toBeLessThan(700 * MB)
})
