import * as pulumi from '@pulumi/pulumi'
import type { MonitorSpecArgs, SerpMonitorSpecArgs } from './inputs/custom-resource'

type Entries = Record<string, pulumi.Input<string>>
type Fields = Record<string, unknown>

/** An object without its secrets, and the entries of the Secret that it refers to. */
interface Sealed {
  readonly value: Fields
  readonly data: readonly pulumi.Input<Entries>[]
}

/** Returns whether a value is in the program's text, and no output of another resource or of `pulumi.secret`. */
export const isKnown = <T>(
  value: pulumi.Input<T>,
): value is Exclude<typeof value, pulumi.OutputInstance<T> | Promise<T>> =>
  !pulumi.Output.isInstance(value) && !(value instanceof Promise)

/**
 * Returns the spec with references in place of addresses and bodies of destinations, and values of headers and options,
 * that are outputs, and what the Secret has to contain. A plain text stays where it is: a person who writes a secret
 * in a program has told it to everyone who reads the program. Whether there is a Secret is the same in a preview and in
 * an update, because it depends on nothing that is known only then.
 */
export function sealSecrets(
  { deliveries, ...others }: MonitorSpecArgs | SerpMonitorSpecArgs,
  secretName: pulumi.Input<string>,
): { readonly spec: Fields; readonly data: pulumi.Output<Entries> | undefined } {
  const refer = (key: string) => ({ secretKeyRef: { name: secretName, key } })
  const rest = sealMap(others, 'requestHeaders', { at: 'request', hidesAll: false, refer })
  const list = sealList(deliveries as pulumi.Input<Fields[]> | undefined, refer)
  const data = [...rest.data, ...list.data]
  return {
    spec: { ...rest.value, ...(list.value !== undefined && { deliveries: list.value }) },
    data:
      data.length === 0
        ? undefined
        : pulumi.all(data).apply((parts) => parts.reduce<Entries>((all, part) => ({ ...all, ...part }), {})),
  }
}

interface Where {
  /** The first part of the keys of the Secret. */
  readonly at: string
  /** True: plain values are hidden too, because the whole object was an output. */
  readonly hidesAll: boolean
  refer(key: string): { readonly secretKeyRef: object }
}

function sealList(
  list: pulumi.Input<Fields[]> | undefined,
  refer: Where['refer'],
): { readonly value: unknown; readonly data: Sealed['data'] } {
  if (list === undefined) return { value: undefined, data: [] }
  if (isKnown(list)) {
    const each = list.map((item, index) => sealItem(item, index, refer))
    return { value: each.map(({ value }) => value), data: each.flatMap(({ data }) => data) }
  }
  const hide = (item: Fields, index: number) =>
    sealDelivery(item, { at: `delivery-${index + 1}`, hidesAll: true, refer })
  const sealed = pulumi.output(list).apply((items) => pulumi.output(((items as Fields[] | undefined) ?? []).map(hide)))
  return {
    value: sealed.apply((each) => each.map(({ value }) => value)),
    data: [sealed.apply((each) => merged(each.flatMap(({ data }) => data)))],
  }
}

function sealItem(
  item: pulumi.Input<Fields>,
  index: number,
  refer: Where['refer'],
): { readonly value: unknown; readonly data: Sealed['data'] } {
  const at = `delivery-${index + 1}`
  if (isKnown(item)) return sealDelivery(item, { at, hidesAll: false, refer })
  const sealed = pulumi
    .output(item)
    .apply((known) => pulumi.output(sealDelivery(known as Fields, { at, hidesAll: true, refer })))
  return { value: sealed.apply(({ value }) => value), data: [sealed.apply(({ data }) => merged(data))] }
}

const merged = (parts: readonly unknown[]) =>
  (parts as readonly Entries[]).reduce<Entries>((all, part) => ({ ...all, ...part }), {})

function sealDelivery(delivery: Fields, where: Where): Sealed {
  const url = sealText(delivery, 'url', where)
  const chat = sealText(url.value, 'webhookUrl', where)
  const body = sealText(chat.value, 'body', where)
  const headers = sealMap(body.value, 'headers', where)
  const options = sealMap(headers.value, 'options', where)
  return { value: options.value, data: [url, chat, body, headers, options].flatMap(({ data }) => data) }
}

function sealText(owner: Fields, key: string, { at, hidesAll, refer }: Where): Sealed {
  const value = owner[key]
  if (value === undefined || (isKnown(value) && !hidesAll)) return { value: owner, data: [] }
  const { [key]: _, ...rest } = owner
  const place = `${at}-${key}`
  return { value: { ...rest, [`${key}From`]: refer(place) }, data: [{ [place]: value as pulumi.Input<string> }] }
}

function sealMap(owner: Fields, key: string, { at, hidesAll, refer }: Where): Sealed {
  const map = owner[key] as pulumi.Input<Entries> | undefined
  if (map === undefined) return { value: owner, data: [] }
  const { [key]: _, [`${key}From`]: given, ...rest } = owner
  const placeOf = (name: string) => `${at}-${key === 'options' ? 'option' : 'header'}-${plain(name)}`
  const referred = (names: readonly string[]) => names.map((name) => ({ name, ...refer(placeOf(name)) }))
  const asData = (entries: Entries) =>
    Object.fromEntries(Object.entries(entries).map(([name, value]) => [placeOf(name), value]))
  if (!isKnown(map)) {
    const whole = pulumi.output(map).apply((known) => (known as Entries | undefined) ?? {})
    const from = pulumi
      .all([given, whole])
      .apply(([before, known]) => [...((before as object[] | undefined) ?? []), ...referred(Object.keys(known))])
    return { value: { ...rest, [`${key}From`]: from }, data: [whole.apply(asData)] }
  }
  const isHidden = ([, value]: [string, unknown]) => hidesAll || !isKnown(value)
  const entries = Object.entries(map)
  const hidden = Object.fromEntries(entries.filter(isHidden))
  const open = Object.fromEntries(entries.filter((entry) => !isHidden(entry)))
  if (Object.keys(hidden).length === 0) return { value: owner, data: [] }
  const own = referred(Object.keys(hidden))
  const from =
    given === undefined
      ? own
      : pulumi.all([given, own]).apply(([before, more]) => [...((before as object[] | undefined) ?? []), ...more])
  return {
    value: { ...rest, ...(Object.keys(open).length > 0 && { [key]: open }), [`${key}From`]: from },
    data: [asData(hidden)],
  }
}

/** Returns the name of a header or an option as a key of a Secret. No two names become the same. */
const plain = (name: string) =>
  name.toLowerCase().replaceAll(/[^-.a-z0-9]/g, (sign) => `_${sign.codePointAt(0)?.toString(16)}`)
