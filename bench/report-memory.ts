import type { Memory } from './worker-process.ts'

/**
 * Loaded into the worker before its command, by `--import` and with `--expose-gc`: answers each message of the bench
 * with what memory is in use once all that can be collected is. Does nothing in between.
 */
process.on('message', () => {
  globalThis.gc?.()
  // What the first collection let go of by finalizers goes with the second.
  setImmediate(() => {
    globalThis.gc?.()
    const { heapUsed, external, rss } = process.memoryUsage()
    const memory: Memory = { heapBytes: heapUsed + external, rssBytes: rss }
    process.send?.(memory)
  })
})
// Neither listening nor the channel keeps the worker from ending.
process.channel?.unref()
