import * as pulumi from '@pulumi/pulumi'
import * as tidemark from '@tidemark/pulumi/rest'

const config = new pulumi.Config()

// The same for each page of a list.
const pages = { kettle: 'https://shop.example/kettle', pot: 'https://shop.example/pot' }
export const ids = Object.entries(pages).map(
  ([name, url]) =>
    new tidemark.Monitor(name, {
      name: `Price of the ${name}`,
      url,
      scheduleIntervalSeconds: 900,
      extractConfig: { method: 'css', fields: { price: '.price' } },
      diffPredicate: { type: 'field_changes', field: 'price' },
      labels: { shop: 'example' },
      requestHeaders: { Authorization: config.requireSecret('shopToken') },
      deliveries: [{ type: 'webhook', url: 'https://receiver.example/prices' }],
    }).id,
)

export const rank = new tidemark.SerpMonitor('rank', {
  name: 'Rank of the shop',
  keyword: 'electric kettle',
  scheduleIntervalSeconds: 86_400,
  targetDomain: 'shop.example',
}).id
