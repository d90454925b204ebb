import type { Readable, Writable } from 'node:stream'

/** The interface through which Playwright drives a browser: DevTools messages as objects. */
interface PipeTransport {
  send(message: object): void
  close(): void
  onmessage?: (message: object) => void
  onclose?: (reason?: string) => void
}

/** Creates the transport. Messages end with a zero byte in both directions (`--remote-debugging-pipe`). */
export function createPipeTransport(toBrowser: Writable, fromBrowser: Readable): PipeTransport {
  let pending: Buffer[] = []
  let isClosed = false

  const transport: PipeTransport = {
    send(message) {
      if (!isClosed) toBrowser.write(`${JSON.stringify(message)}\0`)
    },
    close() {
      if (isClosed) return
      isClosed = true
      toBrowser.end()
      transport.onclose?.()
    },
  }

  function deliver(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const whole = Buffer.concat([...pending, chunk.subarray(start, end)]).toString('utf8')
      pending = []
      start = end + 1
      transport.onmessage?.(JSON.parse(whole) as object)
    }
    if (start < chunk.length) pending.push(chunk.subarray(start))
  }

  fromBrowser.on('data', deliver)
  fromBrowser.on('close', () => transport.close())
  // A browser that has ended breaks the pipe. Its exit event reports the end.
  toBrowser.on('error', () => transport.close())
  fromBrowser.on('error', () => transport.close())
  return transport
}
