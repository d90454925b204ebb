import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { expect, test } from 'vitest'
import { ignoreLateErrors } from '../../../concurrency/threads/ignore-late-errors.ts'

const ROOT = join(import.meta.dirname, '../../..')

test('a thread that fails after the end of its task ends no process', async () => {
  const pool = ignoreLateErrors(
    new Piscina({
      filename: fileURLToPath(new URL('late-error.ts', import.meta.url)),
      name: 'endEarly',
      maxThreads: 1,
      // Otherwise the thread sleeps between two tasks.
      atomics: 'disabled',
      execArgv: [],
    }),
  )
  try {
    const gone = once(pool, 'workerDestroy')
    expect(await pool.run(null)).toBe('done')
    await gone
    expect(pool.listenerCount('error')).toBe(1)
    // Another thread does the next task.
    expect(await pool.run(null)).toBe('done')
  } finally {
    await pool.destroy()
  }
})

test('each pool of threads is one that does so', () => {
  const files = ['runners', 'worker', 'core', 'deliveries', 'api', 'cli'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  )
  const texts = files.map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const pools = texts.flatMap((text) => text.match(/(?:\w+\(\s*)?new Piscina/g) ?? [])
  expect(pools.length).toBeGreaterThan(4)
  expect(pools.filter((pool) => !pool.startsWith('ignoreLateErrors('))).toEqual([])
})
