import type { Readable, Writable } from 'node:stream'

/** The interface through which Playwright drives a browser: DevTools messages as objects. */
interface PipeTransport {
  send(message: object): void
  close(): void
  onmessage?: (message: object) => void
  onclose?: (reason?: string) => void
}

/**
 * The most bytes of one message. A page decides how long some messages are, and each is held and parsed as a whole. The
 * largest that is wanted is a document of 10 MiB, of which DevTools escapes each character into six at most. A picture
 * of 15 MiB is 20 MiB as base64.
 */
export const LARGEST_MESSAGE_BYTES = 64 * 1024 * 1024

/**
 * Creates the transport. Messages end with a zero byte in both directions (`--remote-debugging-pipe`). A message that
 * is too long, or that cannot be read, closes it.
 */
export function createPipeTransport(toBrowser: Writable, fromBrowser: Readable): PipeTransport {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let isClosed = false

  const transport: PipeTransport = {
    send(message) {
      if (!isClosed) toBrowser.write(`${JSON.stringify(message)}\0`)
    },
    close() {
      if (isClosed) return
      isClosed = true
      pending = []
      toBrowser.end()
      transport.onclose?.()
    },
  }

  /** Keeps a part of a message, unless the transport is closed. Closes it when the message is too long. */
  function keep(part: Buffer): boolean {
    pendingBytes += part.length
    if (pendingBytes > LARGEST_MESSAGE_BYTES) transport.close()
    if (!isClosed) pending.push(part)
    return !isClosed
  }

  function deliver(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      if (!keep(chunk.subarray(start, end))) return
      const whole = Buffer.concat(pending).toString('utf8')
      pending = []
      pendingBytes = 0
      start = end + 1
      transport.onmessage?.(JSON.parse(whole) as object)
    }
    if (start < chunk.length) keep(chunk.subarray(start))
  }

  fromBrowser.on('data', (chunk: Buffer) => {
    try {
      deliver(chunk)
    } catch {
      // Nothing above handles what is thrown here, so it would end the process.
      transport.close()
    }
  })
  fromBrowser.on('close', () => transport.close())
  // A browser that has ended breaks the pipe. Its exit event reports the end.
  toBrowser.on('error', () => transport.close())
  fromBrowser.on('error', () => transport.close())
  return transport
}
