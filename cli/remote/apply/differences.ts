import { isDeepStrictEqual } from 'node:util'
import { toResourcePath } from '../../../core/custom-resource/names.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { MASK, maskedDelivery, maskedHeaders } from '../../../schema/monitor/mask.ts'
import { joinPath } from '../../../schema/validation/issue.ts'
import { SET_LABEL, SUSPENDED_LABEL } from '../records.ts'

type Spec = Readonly<Record<string, unknown>>

/** A value that differs. Secrets are masked. */
export interface Difference {
  /** In the manifest's spelling. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** Returns a configuration with masks in place of what may be secret. */
function masked(spec: Spec): Spec {
  const { request_headers: headers, deliveries } = spec as {
    readonly request_headers?: Readonly<Record<string, string>> | null
    readonly deliveries?: readonly DeliveryConfig[]
  }
  return {
    ...spec,
    ...(headers && { request_headers: maskedHeaders(headers) }),
    ...(deliveries && { deliveries: deliveries.map(maskedDelivery) }),
  }
}

/** Returns the keys of a record that differ from what is declared, and what differs in them. */
export function differencesOf(
  stored: Spec,
  wanted: Spec,
): { readonly patch: Spec; readonly differences: Difference[] } {
  const [before, after] = [masked(stored), masked(wanted)]
  // A key without the scope write gets masks from the server: what they hide cannot be compared. The text of a mask in
  // a name or a request hides nothing.
  const secrets = JSON.stringify([stored['request_headers'], stored['deliveries']])
  const isMasked = secrets.includes(MASK) && isDeepStrictEqual(before, stored)
  const differ = (key: string) =>
    !isDeepStrictEqual(isMasked ? before[key] : stored[key], isMasked ? after[key] : wanted[key])
  const keys = Object.keys(wanted).filter(differ)
  const patch = Object.fromEntries(keys.map((key) => [key, wanted[key]]))
  const differences = keys.flatMap((key) => {
    const pairs = { real: [stored[key], wanted[key]], shown: [before[key], after[key]] } as const
    return leaves(key, pairs).map(inManifest)
  })
  return { patch, differences }
}

const SET = joinPath('labels', SET_LABEL)
const SUSPENDED = joinPath('labels', SUSPENDED_LABEL)

/** Returns a difference in the spelling of a manifest. Labels of `apply` stand for what nobody writes as a label. */
function inManifest({ path, before, after }: Difference): Difference {
  const isThere = (label: unknown) => (label === undefined ? undefined : true)
  if (path === SUSPENDED) return { path: 'spec.suspend', before: isThere(before), after: isThere(after) }
  return { path: path === SET ? '--set' : toResourcePath(path), before, after }
}

interface Pairs {
  readonly real: readonly [unknown, unknown]
  /** The same with masks. */
  readonly shown: readonly [unknown, unknown]
}

const isObject = (value: unknown): value is Spec => value !== null && typeof value === 'object'

/** Returns the innermost values that differ. */
function leaves(path: string, { real, shown }: Pairs): Difference[] {
  const [before, after] = real
  if (isDeepStrictEqual(before, after)) return []
  const isSameKind = isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after)
  if (!isSameKind) return [{ path, before: shown[0], after: shown[1] }]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key) => {
    const at = joinPath(path, Array.isArray(before) ? Number(key) : key)
    const pair = ([a, b]: readonly [unknown, unknown]) => [partOf(a, key), partOf(b, key)] as const
    return leaves(at, { real: pair(real), shown: pair(shown) })
  })
}

const partOf = (value: unknown, key: string) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined)
