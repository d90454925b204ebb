import { type Issue, joinPath } from '../../schema/validation/issue.ts'
import { secretKeyBeside } from './secret-places.ts'

/** A key of a Secret in the namespace of the resource. */
interface SecretRef {
  readonly name: string
  readonly key: string
}

type Spec = Readonly<Record<string, unknown>>

/** The keys of the resource's spelling that may name a Secret, in the spec and in a delivery. */
const MAPS = { spec: ['requestHeaders'], delivery: ['headers'] } as const
const TEXTS = { spec: [], delivery: ['url', 'webhookUrl'] } as const

/** Returns every key of a Secret that the spec of a `Monitor` names. */
export function secretRefs(declared: Spec): readonly SecretRef[] {
  const found: SecretRef[] = []
  withSecrets(declared, (ref) => {
    found.push(ref)
    return ''
  })
  return found
}

/**
 * Returns the spec with the values in place of the references: `urlFrom` becomes `url`, and the entries of
 * `headersFrom` are added to `headers`.
 *
 * @param valueOf returns the value of a reference, and may throw
 */
export function withSecrets(declared: Spec, valueOf: (ref: SecretRef) => string): Spec {
  const resolved = replaced(declared, 'spec', valueOf)
  const { deliveries } = resolved
  if (!Array.isArray(deliveries)) return resolved
  return { ...resolved, deliveries: deliveries.map((delivery: Spec) => replaced(delivery, 'delivery', valueOf)) }
}

function replaced(node: Spec, where: keyof typeof MAPS, valueOf: (ref: SecretRef) => string): Spec {
  const result: Record<string, unknown> = { ...node }
  for (const key of TEXTS[where]) {
    const from = node[secretKeyBeside(key)] as { readonly secretKeyRef: SecretRef } | undefined
    delete result[secretKeyBeside(key)]
    if (from) result[key] = valueOf(from.secretKeyRef)
  }
  for (const key of MAPS[where]) {
    const from = node[secretKeyBeside(key)] as readonly { name: string; secretKeyRef: SecretRef }[] | undefined
    delete result[secretKeyBeside(key)]
    if (!from) continue
    const values = from.map(({ name, secretKeyRef }) => [name, valueOf(secretKeyRef)])
    result[key] = { ...(node[key] as object | null | undefined), ...Object.fromEntries(values) }
  }
  return result
}

/**
 * Returns what is wrong with the references of a spec that no definition has checked: without an issue, the functions
 * above can be called with it. Paths have the resource's spelling.
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
    if (node[key] !== undefined && node[key] !== null && !isObject(node[key]))
      note(joinPath(path, key), 'must be an object')
  }
  return issues
}

const REFERENCE_HAS = 'has the texts name and key'
const REFERENCE = `must have secretKeyRef, which ${REFERENCE_HAS}`

const isObject = (value: unknown): value is Spec => value !== null && typeof value === 'object' && !Array.isArray(value)

function isReference({ secretKeyRef: ref }: Spec): boolean {
  return isObject(ref) && typeof ref['name'] === 'string' && typeof ref['key'] === 'string'
}
