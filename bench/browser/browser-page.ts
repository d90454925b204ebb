import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** Opens the shop on loopback. */
export async function openShop(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isApi = request.url === '/api'
    response.writeHead(200, { 'content-type': isApi ? 'application/json' : 'text/html' }).end(isApi ? ITEMS : PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
