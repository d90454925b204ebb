import { type Issue, joinPath } from '../../schema/validation/issue.ts'
import { secretKeyBeside } from './secret-places.ts'

/** A key of a Secret in the namespace of the resource. */
interface SecretRef {
  readonly name: string
  readonly key: string
}

type Spec = Readonly<Record<string, unknown>>

/** The keys of the resource's spelling that may name a Secret, in the spec and in a delivery. */
const MAPS = { spec: ['requestHeaders'], delivery: ['headers', 'options'] } as const
const TEXTS = { spec: [], delivery: ['url', 'webhookUrl', 'body'] } as const

/** Where a reference is, in the resource's spelling. */
interface RefPlace {
  /** As in `deliveries[0].urlFrom.secretKeyRef`. */
  readonly path: string
  /** What the value stands for, as in `deliveries[0].url`. */
  readonly valuePath: string
}

/** Returns every key of a Secret that the spec of a `Monitor` names. */
export function secretRefs(declared: Spec): readonly SecretRef[] {
  const found: SecretRef[] = []
  withSecrets(declared, (ref) => {
    found.push(ref)
    return ''
  })
  return found
}

type ValueOf = (ref: SecretRef, place: RefPlace) => string

/**
 * Returns the spec with the values in place of the references: `urlFrom` becomes `url`, and the entries of
 * `headersFrom` are added to `headers`, those of `optionsFrom` to `options`. References that are none
 * (`referenceIssues`) are left out.
 *
 * @param valueOf returns the value of a reference, and may throw
 */
export function withSecrets(declared: Spec, valueOf: ValueOf): Spec {
  const resolved = replaced(declared, { where: 'spec', path: '' }, valueOf)
  const { deliveries } = resolved
  if (!Array.isArray(deliveries)) return resolved
  const each = (delivery: unknown, index: number) => {
    const at = { where: 'delivery', path: joinPath('deliveries', index) } as const
    return isObject(delivery) ? replaced(delivery, at, valueOf) : delivery
  }
  return { ...resolved, deliveries: deliveries.map(each) }
}

/** An object that may have references. */
interface Node {
  readonly where: keyof typeof MAPS
  readonly path: string
}

function replaced(node: Spec, { where, path }: Node, valueOf: ValueOf): Spec {
  const result: Record<string, unknown> = { ...node }
  for (const key of TEXTS[where]) {
    const beside = secretKeyBeside(key)
    const from = node[beside]
    delete result[beside]
    if (!isObject(from) || !isReference(from)) continue
    const place = { path: joinPath(path, beside, 'secretKeyRef'), valuePath: joinPath(path, key) }
    result[key] = valueOf(from.secretKeyRef, place)
  }
  for (const key of MAPS[where]) {
    const beside = secretKeyBeside(key)
    const from = node[beside]
    delete result[beside]
    if (!Array.isArray(from) || !isMap(node[key])) continue
    const values = from.entries().flatMap(([index, item]: [number, unknown]) => {
      if (!isObject(item) || typeof item['name'] !== 'string' || !isReference(item)) return []
      const place = {
        path: joinPath(path, beside, index, 'secretKeyRef'),
        valuePath: joinPath(path, key, item['name']),
      }
      return [[item['name'], valueOf(item.secretKeyRef, place)] as const]
    })
    result[key] = { ...node[key], ...Object.fromEntries(values) }
  }
  return result
}

/** Returns whether entries can be added to a value. */
const isMap = (value: unknown): value is Spec | null | undefined =>
  value === undefined || value === null || isObject(value)

/**
 * Returns what is wrong with the references of a spec that no definition has checked. Paths have the resource's
 * spelling.
 */
export function referenceIssues(declared: Spec): readonly Issue[] {
  const { deliveries } = declared
  const items = Array.isArray(deliveries) ? deliveries.entries().toArray() : []
  return [
    ...nodeIssues(declared, 'spec', ''),
    ...items.flatMap(([index, item]: [number, unknown]) => {
      const path = joinPath('deliveries', index)
      return isObject(item) ? nodeIssues(item, 'delivery', path) : [{ path, message: 'must be an object' }]
    }),
  ]
}

function nodeIssues(node: Spec, where: keyof typeof MAPS, path: string): Issue[] {
  const issues: Issue[] = []
  const note = (at: string, message: string) => void issues.push({ path: at, message })
  for (const key of TEXTS[where]) {
    const from = secretKeyBeside(key)
    if (node[from] === undefined) continue
    if (node[key] !== undefined) note(joinPath(path, from), `cannot be given beside ${key}`)
    if (!isObject(node[from]) || !isReference(node[from])) note(joinPath(path, from), REFERENCE)
  }
  for (const key of MAPS[where]) {
    const from = joinPath(path, secretKeyBeside(key))
    const given = node[secretKeyBeside(key)]
    if (given === undefined) continue
    if (!Array.isArray(given)) note(from, 'must be a list')
    else if (!given.every((item: unknown) => isObject(item) && typeof item['name'] === 'string' && isReference(item)))
      note(from, `must have items with name and secretKeyRef; each secretKeyRef ${REFERENCE_HAS}`)
    if (!isMap(node[key])) note(joinPath(path, key), 'must be an object')
  }
  return issues
}

const REFERENCE_HAS = 'has the texts name and key'
const REFERENCE = `must have secretKeyRef, which ${REFERENCE_HAS}`

const isObject = (value: unknown): value is Spec => value !== null && typeof value === 'object' && !Array.isArray(value)

function isReference(value: Spec): value is Spec & { readonly secretKeyRef: SecretRef } {
  const { secretKeyRef: ref } = value
  return isObject(ref) && typeof ref['name'] === 'string' && typeof ref['key'] === 'string'
}
