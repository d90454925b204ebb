import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { shopPage } from '../../examples/shop-page.ts'

const SHOP_PRICE = 17.49

const TERMS = [
  'Terms of the bank',
  'You may close your account at any time, in writing or in the app.',
  'We may terminate your account with a notice of 30 days.',
  'Transfers within the country are free of charge.',
  'Cards are replaced within five working days.',
  'A complaint is answered within 15 working days.',
]
const NEW_TERMS = [
  ...TERMS.slice(0, 2),
  'We may suspend your account with a notice of 14 days.',
  ...TERMS.slice(3, 5),
  'Letters on paper cost 1.50 each.',
  ...TERMS.slice(5),
]

/** What the pages show, one value a step. A page that lacks a value refuses. */
const SHOWN: Readonly<Record<string, readonly (string | null)[]>> = {
  kettle: ['$21.99', '$21.99', '$19.99', '$19.99', '$20.49', '$19.99', '$18.49', '$18.49', '$19.99', '$17.49'],
  grinder: ['$84.00', '$84.00', '$89.00', '$89.00', '$86.50', '$86.50', '$79.00', '$79.00', '$79.00', '$79.00'],
  release: [
    '24.18.0',
    '24.19.0',
    '24.19.0',
    '24.20.0',
    '24.20.0',
    '24.20.1',
    '24.20.1',
    '24.20.1',
    '24.21.0',
    '24.21.0',
  ],
  seats: ['112', '98', '91', '77', '64', '52', '40', '31', '18', '6'],
  scales: ['$34.00', '$34.00', '$34.00', '$34.00', '$34.00', '$34.00', '$34.00', null, null, null],
  status: ['operational', 'operational', 'degraded', 'operational', 'operational', 'operational', 'operational'],
}

/** Values of each page. */
export const STEPS = 10

/** Pages that change by steps. */
interface DemoSite {
  readonly base: string
  step: number
  close(): Promise<void>
}

/** Serves the pages that the monitors of the pictures watch. */
export async function startDemoSite(): Promise<DemoSite> {
  const site = { step: 0 }
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    const values = SHOWN[name]
    const value = values?.[Math.min(site.step, values.length - 1)]
    const lines = site.step < STEPS - 2 ? TERMS : NEW_TERMS
    if (name === 'hook') response.end('thanks')
    else if (name === 'bot1/sendMessage') response.setHeader('content-type', 'application/json').end('{"ok":true}')
    else if (name === 'gone') response.writeHead(410).end('This webhook was removed.')
    else if (name === 'terms')
      response.end(page(`<article>${lines.map((line) => `<p>${line}</p>`).join('\n')}</article>`))
    else if (name === 'shop') response.end(shopPage(SHOP_PRICE, new Date()))
    else if (typeof value === 'string') response.end(page(`<p class="value">${value}</p>`))
    else response.writeHead(403).end('no')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(site, {
    base: `http://shop.localhost:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  })
}

const page = (body: string): string => `<!doctype html><title>Shop</title><body>${body}`
