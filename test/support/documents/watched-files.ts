import { expect } from 'vitest'
import { stringify } from 'yaml'
import type { Site } from '../network/site.ts'
import { eventually } from '../run/eventually.ts'
import type { Received, Receiver } from '../worker/receiver.ts'
import { linesPdf, tableOf } from './files.ts'

/** A price list, the terms of a bank as PDF, a calendar and a page of a shop, each with the monitor that watches it. */

interface Edition {
  readonly price: number
  readonly days: number
  readonly start: string
  readonly stock: string
}

const BEFORE: Edition = { price: 19.9, days: 30, start: '20260701T080000Z', stock: 'InStock' }
const AFTER: Edition = { price: 21, days: 14, start: '20260702T090000Z', stock: 'OutOfStock' }

const filesOf = ({ price, days, start, stock }: Edition) => ({
  prices: tableOf('Prices', [
    ['SKU', 'Name', 'Price'],
    ['K-8', 'Kettle', 49],
    ['K-9', 'Lamp', price],
  ]),
  terms: linesPdf(['Terms', '', `Returns are free for ${days} days.`]),
  calendar: [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:1@example.com',
    `DTSTART:${start}`,
    'SUMMARY:Harbour day',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n'),
  shop:
    `<!doctype html><title>Lamp</title><script type="application/ld+json">{"@type":"Product","name":"Lamp",` +
    `"offers":{"price":"${price}","availability":"https://schema.org/${stock}"}}</script>`,
})

const PATHS = {
  prices: ['/prices.xlsx', 'application/octet-stream'],
  terms: ['/terms.pdf', 'application/pdf'],
  calendar: ['/events.ics', 'text/calendar'],
  shop: ['/lamp', 'text/html'],
} as const

type Watched = keyof typeof PATHS
export const WATCHED = Object.keys(PATHS) as readonly Watched[]

/** What a message says of each change. Of the price list: the row of the changed cell, with its number and its name. */
const SAID: Readonly<Record<Watched, readonly string[]>> = {
  prices: ['K-9 Lamp 21'],
  terms: ['Returns are free for 14 days.'],
  calendar: ['Harbour day', '2026-07-02'],
  shop: ['OutOfStock', 'InStock'],
}

/** Makes the site answer with the files of before or after the change. */
export function showFiles(site: Pick<Site, 'page'>, when: 'before' | 'after'): void {
  const files = filesOf(when === 'before' ? BEFORE : AFTER)
  for (const name of WATCHED) {
    const [path, type] = PATHS[name]
    site.page(path, (response) => response.writeHead(200, { 'content-type': type }).end(files[name]))
  }
}

const EXTRACT: Readonly<Record<Watched, object>> = {
  prices: { method: 'css', readAs: 'document', fields: { rows: 'tr[]' } },
  terms: { method: 'full_page', readAs: 'document' },
  calendar: { method: 'css', readAs: 'document', fields: { events: 'article[]' } },
  shop: {
    method: 'json_path',
    readAs: 'structured_data',
    fields: { price: '$.product.price', stock: '$.product.availability' },
  },
}

/** Returns the specification of a monitor, as programs and custom resources write it. */
export const watchedSpec = (name: Watched, origin: string, receiverUrl: string) => ({
  name: `The ${name}`,
  url: origin + PATHS[name][0],
  scheduleIntervalSeconds: 86_400,
  extractConfig: EXTRACT[name],
  diffPredicate: { type: 'any_field_changes' },
  deliveries: [{ type: 'slack', webhookUrl: `${receiverUrl}/${name}` }],
})

/** Returns one file with the four monitors. */
export const watchedFile = (origin: string, receiverUrl: string, namespace: string): string =>
  WATCHED.map((name) =>
    stringify({
      apiVersion: 'tidemark.dev/v1',
      kind: 'Monitor',
      metadata: { name, namespace },
      spec: watchedSpec(name, origin, receiverUrl),
    }),
  ).join('---\n')

/** Waits until each monitor has sent a message, and fails where one does not tell what changed. */
export async function expectMessages(receiver: Receiver, meanwhile: () => void = () => undefined): Promise<void> {
  const found = () => new Map(receiver.requests.map((request): [string, Received] => [request.path, request]))
  const requests = await eventually(
    async () => {
      meanwhile()
      return found()
    },
    (seen) => seen.size === WATCHED.length,
  )
  for (const name of WATCHED) {
    const text = String(requests.get(`/hook/${name}`)?.body)
    for (const said of SAID[name]) expect(text, name).toContain(said)
  }
}
