import { expect } from 'vitest'
import { stringify } from 'yaml'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from '../../../schema/monitor/delivery-services.ts'
import { eventually } from '../run/eventually.ts'
import type { Received, Receiver } from '../worker/receiver.ts'

/** A monitor of a page with `.price` that sends to every service, each at its own path of a receiver. */

const AT_DIGEST = 'digest'

/** The options that a service needs, as the manual shows them. */
export const neededOf = (service: ServiceName): Record<string, string> =>
  Object.fromEntries(
    Object.entries(SERVICE_TABLE[service].options)
      .filter(([, { isNeeded }]) => isNeeded === true)
      .map(([key, { example }]) => [key, example]),
  )

function deliveryTo(service: ServiceName, url: string): object {
  const options = neededOf(service)
  return {
    type: 'webhook',
    service,
    url: `${url}/${service}`,
    ...(Object.keys(options).length > 0 && { options }),
    ...(service === 'custom' && { method: 'PUT', body: '{"price": "{{fields.price.after}}"}' }),
  }
}

/** Returns its specification, as programs and custom resources write it. */
export const everyServiceSpec = (pageUrl: string, receiverUrl: string) => ({
  name: 'Kettle',
  url: pageUrl,
  scheduleIntervalSeconds: 86_400,
  extractConfig: { method: 'css', fields: { price: '.price' } },
  diffPredicate: { type: 'any_field_changes' },
  message: { title: 'About {{monitor.name}}', text: 'It was {{fields.price.before}}, now {{fields.price.after}}' },
  deliveries: [
    ...SERVICE_NAMES.map((service) => deliveryTo(service, receiverUrl)),
    // Twice, so that the change of one run makes two lines of one message.
    ...[1, 2].map(() => ({
      type: 'webhook',
      service: 'mattermost',
      url: `${receiverUrl}/${AT_DIGEST}`,
      digest: { everySeconds: 60 },
    })),
  ],
})

/** Returns one file with the monitor, and with the Secrets that have an address and an option of it. */
export function everyServiceFile(pageUrl: string, receiverUrl: string, namespace: string): string {
  const spec = everyServiceSpec(pageUrl, receiverUrl)
  const deliveries = spec.deliveries.map((delivery) => {
    const { service, url, options, ...rest } = delivery as Record<string, unknown>
    if (service === 'telegram')
      return { ...rest, service, options, urlFrom: { secretKeyRef: { name: 'chat', key: 'telegram' } } }
    if (service === 'pagerduty')
      return {
        ...{ ...rest, service, url },
        optionsFrom: [{ name: 'routing_key', secretKeyRef: { name: 'chat', key: 'pager' } }],
      }
    return delivery
  })
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'chat', namespace, labels: { 'tidemark.dev/monitors': 'true' } },
    stringData: { telegram: `${receiverUrl}/telegram`, pager: neededOf('pagerduty')['routing_key'] },
  }
  const monitor = {
    apiVersion: 'tidemark.dev/v1',
    kind: 'Monitor',
    metadata: { name: 'kettle', namespace },
    spec: { ...spec, deliveries },
  }
  return [secret, monitor].map((document) => stringify(document)).join('---\n')
}

/** Waits until every service has a request that tells of the price. Returns them, by service. */
export async function everyRequest(receiver: Receiver, price: string): Promise<ReadonlyMap<string, Received>> {
  const found = () =>
    new Map(
      receiver.requests.flatMap((request) => {
        const [, place = ''] = /^\/hook\/(\w+)/.exec(request.path) ?? []
        return request.body.includes(price) ? [[place, request] as const] : []
      }),
    )
  return eventually(
    async () => found(),
    (seen) => SERVICE_NAMES.every((service) => seen.has(service)),
  )
}

/** The words of the user, as far as a service does not write values its own way. */
const OWN_WORDS = /It was .{0,20}100.{0,20}, now .{0,20}250/
/** Services that get no words of a monitor, and no digest. */
export const FOR_PROGRAMS: ReadonlySet<ServiceName> = new Set(['custom', 'cloudevents'])

/** Fails where a request does not tell of the price, from 100 to 250, in the words of the monitor. */
export function expectEach(requests: ReadonlyMap<string, Received>): void {
  const textOf = (service: ServiceName) => String(requests.get(service)?.body)
  for (const service of SERVICE_NAMES.filter((name) => !FOR_PROGRAMS.has(name)))
    expect([service, decodeURIComponent(textOf(service).replaceAll('+', ' '))]).toEqual([
      service,
      expect.stringMatching(OWN_WORDS),
    ])
  expect([requests.get('custom')?.method, JSON.parse(textOf('custom'))]).toEqual(['PUT', { price: '250' }])
  expect(JSON.parse(textOf('cloudevents'))).toMatchObject({
    specversion: '1.0',
    data: { diff: { before: { price: '100' }, after: { price: '250' } } },
  })
}

/**
 * Fails where the digest comes before its time has, is not one message of two changes, or does not tell of the price in
 * the words of the monitor.
 */
export async function expectDigest(
  receiver: Receiver,
  moveClock: (seconds: number) => Promise<unknown>,
): Promise<void> {
  const digests = () => receiver.requests.filter(({ path }) => path === `/hook/${AT_DIGEST}`)
  expect(digests()).toEqual([])
  await moveClock(70)
  const [digest, ...others] = await eventually(
    async () => digests(),
    (seen) => seen.length > 0,
  )
  expect(others).toEqual([])
  expect(String(digest?.body).match(new RegExp(OWN_WORDS, 'g'))).toHaveLength(2)
}
