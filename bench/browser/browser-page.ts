import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mediaParts } from './media-page.ts'

/**
 * A small shop whose text is built by a script from one answer of its own API: an example of a page that must be
 * rendered.
 */
const PAGE = `<!doctype html><meta charset="utf-8"><title>Shop</title><style>li { padding: 4px }</style>
<div id="root"></div>
<script>
fetch('/api').then((answer) => answer.json()).then((items) => {
  document.getElementById('root').innerHTML = '<h1>Shop</h1><ul>' +
    items.map(({ name, price }) => '<li>' + name + ' <b class="price">' + price + '</b></li>').join('') + '</ul>'
})
</script>`
const ITEMS = JSON.stringify(
  Array.from({ length: 100 }, (_, n) => ({ name: `Kettle no. ${n} with a longer name`, price: `$${n}.99` })),
)

interface Shop {
  readonly url: string
  /** A page with images, fonts, scripts and styles. */
  readonly mediaUrl: string
  /** Bytes of the bodies that were sent so far. */
  sentBytes(): number
  close(): Promise<void>
}

/** Opens the shop on loopback. */
export async function openShop(): Promise<Shop> {
  const partOf = await mediaParts()
  let sent = 0
  const server = createServer(({ url = '/' }, response) => {
    const own = url === '/api' ? { type: 'application/json', body: ITEMS } : { type: 'text/html', body: PAGE }
    const { type, body } = partOf(url) ?? own
    sent += Buffer.byteLength(body)
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    mediaUrl: `${url}media`,
    sentBytes: () => sent,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
