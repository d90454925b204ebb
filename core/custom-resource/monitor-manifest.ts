import { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { isSecretOption } from '../../schema/monitor/delivery-services.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { Labels } from '../../schema/monitor/labels.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { RequestHeaders } from '../../schema/monitor/request-headers.ts'
import { RESOURCE_API, type ResourceKind } from '../../schema/resource-kind.ts'
import { ADOPT, resourceLabels } from './annotations.ts'
import { toResourceNames } from './names.ts'
import { secretKeyBeside } from './secret-places.ts'

/** A monitor that is to be declared as a custom resource. */
interface Declared {
  readonly id: string
  /** The kind of the resource, and the definition of its configuration. */
  readonly resource: ResourceKind
  readonly definition: object
  readonly spec: EverySpec
  readonly isPaused: boolean
  /** The name of the resource, and of the Secret that it reads. */
  readonly name: string
  readonly namespace?: string
  /** True: applying the manifest takes over the stored monitor. False where a resource already declares it. */
  readonly adopts: boolean
}

/** A value that the manifest does not show: the Secret of the same name has to contain it under this key. */
interface NeededSecret {
  readonly key: string
  readonly what: string
  /** For a caller that writes the Secret too. It is not shown otherwise. */
  readonly value: string
}

export interface MonitorManifest {
  readonly manifest: Readonly<Record<string, unknown>>
  readonly secrets: readonly NeededSecret[]
}

/** Headers that contain no secret, whatever their value: a manifest may show them. */
const OPEN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'origin',
  'pragma',
  'referer',
  'user-agent',
])

/**
 * Returns the custom resource that declares a monitor. Addresses of deliveries and values of headers may be
 * credentials, so references to a Secret replace them (docs/decisions/0006-secrets-beside-literals.md).
 */
export function monitorManifest(declared: Declared): MonitorManifest {
  const { id, resource, definition, spec, isPaused, name, namespace, adopts } = declared
  const secrets: NeededSecret[] = []
  const refer: Refer = (key, what, value) => {
    const plainKey = key
      .toLowerCase()
      .replaceAll(/[^-._a-z0-9]/g, '_')
      .slice(0, 200)
    const free = secrets.some((known) => known.key === plainKey) ? `${plainKey}.${secrets.length}` : plainKey
    secrets.push({ key: free, what, value })
    return { secretKeyRef: { name, key: free } }
  }
  const { deliveries, external_key: _key, labels, ...others } = spec
  const { template_slug: _, request_headers: headers, ...rest }: Partial<MonitorSpec> = others
  // Null means the same as an absent key.
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  const manifest = {
    apiVersion: RESOURCE_API,
    kind: resource.kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...labelled(labels),
      ...(adopts && { annotations: { [ADOPT]: id } }),
    },
    spec: {
      ...(toResourceNames(definition, given) as object),
      ...(headers && headersOf('requestHeaders', headers, { refer, at: 'request', what: 'the request' })),
      deliveries: deliveries.map((delivery, index) => deliveryOf(delivery, index + 1, refer)),
      ...(isPaused && { suspend: true }),
    },
  }
  return { manifest, secrets }
}

const labelled = (labels: Labels) => (Object.keys(labels).length === 0 ? {} : { labels: resourceLabels(labels) })

type Refer = (
  key: string,
  what: string,
  value: string,
) => { readonly secretKeyRef: { readonly name: string; readonly key: string } }

/** What is not secret stands as it is, in the spelling of the resource. */
function deliveryOf(delivery: DeliveryConfig, nth: number, refer: Refer): object {
  const at = `delivery-${nth}`
  if (delivery.type === 'email') return inResource(delivery)
  if (delivery.type !== 'webhook') {
    const { type, webhookUrl, ...rest } = delivery
    const what = `the ${type} webhook address on ${hostOf(webhookUrl)}`
    return { type, [secretKeyBeside('webhookUrl')]: refer(`${at}-webhook-url`, what, webhookUrl), ...inResource(rest) }
  }
  const { type, url, headers, service, options, body, ...rest } = delivery
  const what = `delivery ${nth}`
  return {
    type,
    [secretKeyBeside('url')]: refer(`${at}-url`, `the webhook address on ${hostOf(url)}`, url),
    ...(headers && headersOf('headers', headers, { refer, at, what })),
    ...(service !== undefined && { service }),
    ...(options && optionsOf(service, options, { refer, at, what })),
    ...(body !== undefined && { [secretKeyBeside('body')]: refer(`${at}-body`, `the body of ${what}`, body) }),
    ...inResource(rest),
  }
}

const inResource = (keys: object): object => toResourceNames(DeliveryConfig, keys) as object

/** Where the entries of a map are. */
interface Owner {
  readonly refer: Refer
  readonly at: string
  readonly what: string
}

const headersOf = (key: string, headers: RequestHeaders, owner: Owner): object =>
  entriesOf({ key, word: 'header', isOpen: (name) => OPEN_HEADERS.has(name.toLowerCase()) }, headers, owner)

const optionsOf = (service: string | undefined, options: RequestHeaders, owner: Owner): object =>
  entriesOf({ key: 'options', word: 'option', isOpen: (name) => !isSecretOption(service, name) }, options, owner)

interface Entries {
  readonly key: string
  readonly word: string
  readonly isOpen: (name: string) => boolean
}

function entriesOf({ key, word, isOpen }: Entries, all: RequestHeaders, { refer, at, what }: Owner): object {
  const entries = Object.entries(all)
  const open = entries.filter(([name]) => isOpen(name))
  const hidden = entries.filter(([name]) => !isOpen(name))
  const referred = hidden.map(([name, value]) => ({
    name,
    ...refer(`${at}-${word}-${name}`, `the ${word} ${name} of ${what}`, value),
  }))
  return {
    ...((open.length > 0 || hidden.length === 0) && { [key]: Object.fromEntries(open) }),
    ...(hidden.length > 0 && { [secretKeyBeside(key)]: referred }),
  }
}

const hostOf = (address: string): string => URL.parse(address)?.host ?? 'another host'
