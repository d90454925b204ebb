import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMonitor, MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { serveApi, type ServedApi } from '../../support/api/served-api.ts'
import { REFUSED_URLS } from './vectors.ts'

let served: ServedApi
let monitor: string
let wakes = 0
beforeAll(async () => {
  served = await serveApi('scale', { wake: () => void wakes++ })
  monitor = (await createMonitor(served.me)).id
  wakes = 0
})
afterAll(() => served.close())

type Send = (body: object) => Promise<string[]>

/** The places of a configuration that take an address. */
const DELIVERIES = (url: string) => [
  { type: 'webhook', url },
  { type: 'slack', webhookUrl: url },
  { type: 'discord', webhookUrl: url },
]
const PATHS = ['deliveries[0].url', 'deliveries[1].webhookUrl', 'deliveries[2].webhookUrl', 'url']

/**
 * All four places at once; where the answer names only some (of what is no text of a URL at all), one after the other.
 */
async function refusedPaths(send: Send, url: string): Promise<string[]> {
  const together = await send({ url, deliveries: DELIVERIES(url) })
  if (together.length === PATHS.length) return together
  const apart: string[] = []
  for (const [index, delivery] of DELIVERIES(url).entries())
    for (const path of await send({ deliveries: [delivery] })) apart.push(path.replace('[0]', `[${index}]`))
  return [...apart, ...(await send({ url }))]
}

/** Every route that takes a configuration; a new one that takes addresses has to be added here. */
const DOORS: readonly (readonly [string, Send])[] = [
  ['POST /v1/monitors', async (body) => pathsOf(await served.me.post('/v1/monitors', { ...MONITOR, ...body }))],
  ['PATCH /v1/monitors/{id}', async (body) => pathsOf(await served.me.patch(`/v1/monitors/${monitor}`, body))],
  [
    'POST /v1/monitors/preview',
    async (body) => pathsOf(await served.me.post('/v1/monitors/preview', { ...MONITOR, ...body })),
  ],
  [
    'POST /v1/monitors/from-template/{slug}',
    async (body) => pathsOf(await served.me.post('/v1/monitors/from-template/generic-css-selector', body)),
  ],
]

describe(
  'an address that leads nowhere public is refused when it is saved, as target and as webhook, Slack and Discord ' +
    'address',
  () => {
    test.each(DOORS)('%s', async (_door, send) => {
      for (const url of REFUSED_URLS) expect(await refusedPaths(send, url), url.slice(0, 100)).toEqual(PATHS)
      expect(wakes).toBe(0)
    })
  },
)
