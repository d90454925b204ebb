import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { expect, test } from 'vitest'
import { ignoreLateErrors } from '../../../concurrency/threads/ignore-late-errors.ts'

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
    const isKnown = new Int32Array(new SharedArrayBuffer(4))
    expect(await pool.run(isKnown)).toBe('done')
    Atomics.store(isKnown, 0, 1)
    Atomics.notify(isKnown, 0)
    await gone
    expect(pool.listenerCount('error')).toBe(1)
    // Another thread does the next task.
    Atomics.store(isKnown, 0, 0)
    expect(await pool.run(isKnown)).toBe('done')
  } finally {
    await pool.destroy()
  }
})
