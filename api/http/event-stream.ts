import type { ServerResponse } from 'node:http'

/** An answer that goes on for as long as the client listens: server-sent events. */
export interface EventStream {
  /** Sends a text. Where more bytes than may wait for the client already, its connection is ended instead. */
  send(text: string): void
  /** Sends a last text, and ends the answer. */
  end(text: string): void
  readonly isOpen: boolean
  /** Calls the function once, when the answer has ended or its connection is gone. */
  onEnd(ended: (isSlow: boolean) => void): void
}

/**
 * A proxy must neither keep parts of the answer back nor compress it. The connection ends with the stream: a process
 * that closes waits for those that are kept for further requests.
 */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  connection: 'close',
} as const

/** Begins a stream of events on a response with its headers. `waitingBytes`: the most that may wait for the client. */
export function beginEventStream(response: ServerResponse, waitingBytes: number): EventStream {
  let isSlow = false
  response.writeHead(200, HEADERS)
  response.flushHeaders()
  // The client has gone, which `close` tells too.
  response.on('error', () => {})
  const isOpen = () => !response.destroyed && !response.writableEnded
  return {
    send(text) {
      if (!isOpen()) return
      if (response.writableLength > waitingBytes) {
        isSlow = true
        response.destroy()
      } else response.write(text)
    },
    end(text) {
      if (isOpen()) response.end(text)
    },
    get isOpen() {
      return isOpen()
    },
    onEnd(ended) {
      if (response.destroyed) ended(isSlow)
      else response.once('close', () => ended(isSlow))
    },
  }
}
