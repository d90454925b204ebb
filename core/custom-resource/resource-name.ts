/** The namespace of a manifest that names none. */
export const DEFAULT_NAMESPACE = 'default'

const MOST = 63
/** The number of digits of the id that make a name unique. */
const ID_DIGITS = 8

/** Returns whether a resource may have this name: an RFC 1123 label. */
export const isResourceName = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)

const LONGEST = 253

/** Returns whether a manifest may have this name: an RFC 1123 subdomain, as in `blue.kettle`. */
export const isManifestName = (name: string): boolean =>
  name.length <= LONGEST && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name)

/**
 * Returns the name of a monitor's resource. It is the monitor's own name where that is an RFC 1123 label that no other
 * monitor has. Otherwise it is the part of the name that is allowed in a label, and the first digits of the id. So no
 * two names are equal, and no name changes when another monitor is added or deleted.
 */
export function resourceName({ id, name }: { readonly id: string; readonly name: string }, isAlone: boolean): string {
  return isAlone && isResourceName(name) ? name : `${stemOf(name)}-${id.slice(0, ID_DIGITS)}`
}

/** Returns the name of the resource of a monitor that is not stored, so that it has no id and no others beside it. */
export const nameForResource = (name: string): string => (isResourceName(name) ? name : stemOf(name))

function stemOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').slice(0, MOST - ID_DIGITS - 1)
  const stem = words.replaceAll(/^-+|-+$/g, '')
  return stem === '' ? 'monitor' : stem
}

/** The identity of a manifest. Without a namespace it is `DEFAULT_NAMESPACE`. */
export interface ResourceIdentity {
  readonly name: string
  readonly namespace?: string
}

/** Returns the external key of the record that a manifest makes. */
export const keyOfIdentity = ({ name, namespace = DEFAULT_NAMESPACE }: ResourceIdentity): string =>
  `${namespace}/${name}`

/** Returns the identity of the manifest that an external key comes from, as `shop/kettle` does; null for other keys. */
export function identityOfKey(externalKey: string | null): ResourceIdentity | null {
  const [namespace = '', name = '', ...more] = (externalKey ?? '').split('/')
  if (more.length > 0 || !isResourceName(namespace) || !isManifestName(name)) return null
  return namespace === DEFAULT_NAMESPACE ? { name } : { name, namespace }
}
