const MOST = 63
/** Digits of the id that make a name its own. */
const ID_DIGITS = 8

/** A name that a resource may bear as it is: an RFC 1123 label. */
export const isResourceName = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)

/**
 * The resource's name of a monitor: its own name where that is an RFC 1123 label that no other bears; else what of it
 * can stand in one, and the first digits of its id, so that no two are alike and none changes when another monitor
 * comes or goes.
 */
export function resourceName({ id, name }: { readonly id: string; readonly name: string }, isAlone: boolean): string {
  if (isAlone && isResourceName(name)) return name
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').slice(0, MOST - ID_DIGITS - 1)
  const stem = words.replaceAll(/^-+|-+$/g, '')
  return `${stem === '' ? 'monitor' : stem}-${id.slice(0, ID_DIGITS)}`
}
