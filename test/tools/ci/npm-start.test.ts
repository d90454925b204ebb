import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { processIdentity } from '../../../platform/process-identity.ts'
import { closedClone } from './closed-clone.ts'
import { npmStart, type Started } from './npm-start.ts'

// The whole as a person gets it: the first start makes a database, and everything shares two cores with the other
// tests.
const PATIENCE_MS = 360_000
const KEY = /\bsvc_[A-Za-z0-9_-]{20,}/

describe('npm start in a clone that only its owner can enter', () => {
  test(
    'answers, says the first key once, ends with exit code 0 on SIGTERM, leaves nothing running, and starts again',
    async () => {
      await using clone = await closedClone()
      expect((await stat(join(clone.path, '..'))).mode & 0o777).toBe(0o700)

      await using first = await npmStart(clone.path)
      expect((await fetch(`${first.address}/healthz`)).status).toBe(200)
      await sees(first, KEY)
      const server = await databaseProcess(clone.path)
      expect(await processIdentity(server)).not.toBeNull()
      expect(await first.terminate(), first.output()).toBe(0)
      expect(await processIdentity(server)).toBeNull()

      await using second = await npmStart(clone.path)
      expect((await fetch(`${second.address}/healthz`)).status).toBe(200)
      expect(await second.terminate(), second.output()).toBe(0)
      expect(second.output()).not.toMatch(KEY)
    },
    PATIENCE_MS,
  )
})

async function sees(started: Started, pattern: RegExp): Promise<void> {
  await expect.poll(() => started.output()).toMatch(pattern)
}

async function databaseProcess(clone: string): Promise<number> {
  const dataDir = join(clone, '.tidemark')
  const { home } = JSON.parse(await readFile(join(dataDir, 'embedded.json'), 'utf8')) as { home: string }
  const folder = isAbsolute(home) ? home : join(dataDir, home)
  return Number.parseInt(await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8'), 10)
}
