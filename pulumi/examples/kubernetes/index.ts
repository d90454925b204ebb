import * as pulumi from '@pulumi/pulumi'
import * as tidemark from '@tidemark/pulumi'

const config = new pulumi.Config()
const metadata = { namespace: 'shop' }

// A price, told to a chat when it falls by five percent.
const kettle = new tidemark.Monitor('kettle', {
  metadata,
  name: 'Price of the kettle',
  url: 'https://shop.example/kettle',
  scheduleIntervalSeconds: 900,
  extractConfig: { method: 'css', fields: { price: '.price' } },
  diffPredicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
  // The address is a secret, so it is kept in a Secret, and the monitor refers to that.
  deliveries: [{ type: 'slack', webhookUrl: config.requireSecret('chatAddress') }],
})

// A rank, looked up every day.
const rank = new tidemark.SerpMonitor('rank', {
  metadata,
  name: 'Rank of the shop',
  keyword: 'electric kettle',
  scheduleIntervalSeconds: 86_400,
  targetDomain: 'shop.example',
  rankChangeThreshold: 3,
  deliveries: [{ type: 'email', to: 'owner@shop.example' }],
})

export const names = [kettle.name, rank.name]
