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
