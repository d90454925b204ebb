import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

/**
 * Loaded before the program, in its process and in each of its threads. At `start` the counters are set to zero; at
 * `take` the process sends the files in which a function was called since then.
 */
const ROOT = join(import.meta.dirname, '../..')
/** Threads answer within this time; there are few of them. */
const THREADS_MS = 1_000

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const channel = new BroadcastChannel('tidemark-coverage')
channel.unref()

async function taken(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url, functions }) => isOurs(url) && functions.some(isCalled))
    .map(({ url }) => fileURLToPath(url).slice(ROOT.length + 1))
}

const isOurs = (url: string) =>
  url.startsWith('file:') && fileURLToPath(url).startsWith(`${ROOT}/`) && !/node_modules|tools\//.test(url)

/**
 * The function without a name that starts at 0 is the module itself. It runs when the file is loaded, so it does not
 * count.
 */
const isCalled = ({
  functionName,
  ranges,
}: {
  functionName: string
  ranges: { startOffset: number; count: number }[]
}) => ranges.some(({ startOffset, count }) => count > 0 && !(functionName === '' && startOffset === 0))

if (isMainThread) {
  const fromThreads = new Set<string>()
  channel.onmessage = ({ data }) => {
    if (Array.isArray(data)) for (const file of data) fromThreads.add(String(file))
  }
  process.on('message', (message) => void answer(message))
  const answer = async (message: unknown) => {
    fromThreads.clear()
    const own = await taken()
    channel.postMessage('take')
    await new Promise((resolve) => setTimeout(resolve, THREADS_MS))
    if (message === 'start') fromThreads.clear()
    process.send?.(message === 'start' ? { started: [] } : { files: [...new Set([...own, ...fromThreads])] })
  }
} else {
  channel.onmessage = ({ data }) => {
    if (data === 'take') void taken().then((files) => channel.postMessage(files))
  }
}
