import { appendFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import pg from 'pg'

/**
 * Loaded into an operator before its command, by `--import`. Counts its writes that were answered: to the API server,
 * apart from the Lease and Events, and commits to the store. After the one of this number the process is gone, before
 * it has learnt of the answer. Each write adds a byte to a file.
 */
const crashAfter = Number(process.env['CRASH_AFTER_WRITE'] ?? Number.NaN)
const file = process.env['COUNT_WRITES_IN']
let writes = 0

function written(): void {
  writes += 1
  if (file !== undefined) appendFileSync(file, '.')
  if (writes === crashAfter) process.kill(process.pid, 'SIGKILL')
}

interface Asked {
  readonly method?: string
}

for (const library of [http, https]) {
  const request = library.request as (...args: unknown[]) => http.ClientRequest
  const counted = (...args: unknown[]) => {
    const sent = request(...args)
    const { method = 'GET' } = (args[1] ?? {}) as Asked
    if (method !== 'GET' && !/\/(leases|events)\b/.test(sent.path)) sent.once('response', written)
    return sent
  }
  Object.assign(library, { request: counted })
}
syncBuiltinESMExports()

const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
Object.assign(pg.Client.prototype, {
  async query(this: pg.Client, ...args: unknown[]) {
    const answer: unknown = await query.apply(this, args)
    if (/^commit$/i.test(String(args[0]))) written()
    return answer
  },
})
