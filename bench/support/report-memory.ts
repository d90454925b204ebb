import type { Memory } from './worker-process.ts'

/**
 * Loaded into the worker before its command, by `--import` and with `--expose-gc`. For each message of the bench it
 * collects garbage and returns the memory in use. It does nothing otherwise.
 */
process.on('message', () => {
  globalThis.gc?.()
  // Memory that finalizers released in the first collection is freed in the second.
  setImmediate(() => {
    globalThis.gc?.()
    const { heapUsed, external, rss } = process.memoryUsage()
    const memory: Memory = { heapBytes: heapUsed + external, rssBytes: rss }
    process.send?.(memory)
  })
})
// Neither the listener nor the channel keeps the worker from ending.
process.channel?.unref()
