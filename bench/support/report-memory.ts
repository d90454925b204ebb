import type { Memory } from './worker-process.ts'

/**
 * Loaded into the worker before its command, by `--import` and with `--expose-gc`. For each message of the bench, a
 * number of milliseconds, it collects garbage, rests for so long, and returns the memory in use: V8 keeps the pages
 * that a collection frees for some seconds, up to half of the process. It does nothing otherwise.
 */
process.on('message', (restMs) => {
  globalThis.gc?.()
  // Memory that finalizers released in the first collection is freed in the second.
  setImmediate(() => {
    globalThis.gc?.()
    const { heapUsed, external, rss } = process.memoryUsage()
    setTimeout(() => {
      const restedBytes = process.memoryUsage.rss()
      const memory: Memory = { heapBytes: heapUsed + external, rssBytes: rss, restedBytes }
      process.send?.(memory)
    }, Number(restMs))
  })
})
// Neither the listener nor the channel keeps the worker from ending.
process.channel?.unref()
