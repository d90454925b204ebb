import { afterAll, beforeAll } from 'vitest'

/** What a test starts, and how it is ended. */
type Ending = { close(): Promise<unknown> } | AsyncDisposable

/**
 * Returns what the tests of a file share: it starts before the first of them, and ends behind the last. Only tests and
 * hooks may use it, because it is not there earlier.
 */
export function shared<Started extends Ending>(start: () => Promise<Started>): Started {
  let started: Started | undefined
  const present = () => {
    if (started === undefined) throw new Error('it starts before the first test: use it in tests and hooks')
    return started
  }
  beforeAll(async () => {
    started = await start()
  })
  afterAll(() => (started && 'close' in started ? started.close() : started?.[Symbol.asyncDispose]()))
  return new Proxy({} as Started, {
    get: (_, key) => Reflect.get(present(), key),
    has: (_, key) => Reflect.has(present(), key),
  })
}
