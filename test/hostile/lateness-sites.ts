import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { answer, rawServer } from '../support/network/raw-server.ts'
import { BLOW_UPS } from './blow-ups.ts'

/** What a monitor of these sites watches. */
export interface Watched {
  readonly url: string
  readonly extract: ExtractConfig
  readonly predicate?: DiffPredicate
}

/** Sites of which the `n`th monitor watches this. */
interface Sites extends AsyncDisposable {
  watched(n: number): Watched
}

const CLEAN_HOSTS = 100

/**
 * Pages of 20 KB on a hundred hosts, each with another price whenever it is asked for: every check reads, compares and
 * records.
 */
export async function openCleanSite(): Promise<Sites> {
  const filler = '<li><a href="/x">An item of a list</a></li>\n'.repeat(450)
  let price = 0
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><title>Shop</title><b class="price">$${++price}</b><ul>${filler}</ul>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
  const { port } = server.address() as AddressInfo
  return {
    watched: (n) => ({
      url: `http://clean${n % CLEAN_HOSTS}.localhost:${port}/${n}`,
      extract: { method: 'css', fields: { price: '.price' } },
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Every row of the blow-up table, and a pattern of a predicate that backtracks without end; a host of its own for each
 * monitor.
 */
export async function openHostileSites(): Promise<Sites> {
  await using opening = new AsyncDisposableStack()
  const kinds: Omit<Watched & { port: number }, 'url'>[] = []
  for (const { serve, extract } of BLOW_UPS) kinds.push({ port: opening.use(await rawServer(serve)).port, extract })
  const changing = opening.use(
    await rawServer((socket, request, nth) =>
      answer('200 OK', `<p>${'a'.repeat(40 + (nth % 2))}!`)(socket, request, nth),
    ),
  )
  const pattern: DiffPredicate = { type: 'field_matches_regex', field: 'it', pattern: '^(a+)+$' }
  kinds.push({ port: changing.port, extract: { method: 'css', fields: { it: 'p' } }, predicate: pattern })
  const opened = opening.move()
  return {
    watched(n) {
      const { port, ...rest } = kinds[n % kinds.length] ?? { port: 0, extract: { method: 'full_page' } as const }
      return { url: `http://hostile${n}.localhost:${port}/`, ...rest }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
