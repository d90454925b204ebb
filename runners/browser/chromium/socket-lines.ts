import type { Duplex } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Most characters of a line. The longest that a launcher sends is the output of a browser. */
const MAX_LINE = 2_000_000

/**
 * Calls `take` with each line of a connection. A longer line ends the connection. An interface of `node:readline` would
 * end the process when the other side resets the connection, and would keep a line without an end.
 */
export function readLines(connection: Duplex, take: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  connection.on('data', (chunk: Buffer) => {
    const [first = '', ...more] = decoder.write(chunk).split('\n')
    rest += first
    for (const part of more) {
      if (connection.destroyed) return
      take(rest)
      rest = part
    }
    if (rest.length > MAX_LINE) connection.destroy()
  })
  connection.resume()
}
