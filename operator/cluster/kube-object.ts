/** Metadata of a Kubernetes object, as far as the operator reads it. */
interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly deletionTimestamp?: string
  readonly creationTimestamp?: string
  /** Of a resource as the operator keeps it: another text after each edit of its labels or annotations. */
  readonly edit?: string
  /** Who has written which fields, as the API server notes it. */
  readonly managedFields?: readonly { readonly manager?: string }[]
}

/** An object of the API server. Its content was written by a person or another program: it is untrusted. */
export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}

/** Returns the key of an object in a cache or a queue: `namespace/name`, or `name` for an object of the cluster. */
export const keyOf = ({ metadata: { namespace, name } }: KubeObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`

/** Returns namespace and name of a key. */
export function partsOf(key: string): { readonly namespace: string; readonly name: string } {
  const at = key.indexOf('/')
  return { namespace: key.slice(0, Math.max(0, at)), name: key.slice(at + 1) }
}

/** The body of an answer that is not an object: `kind: Status`. */
export interface KubeStatus {
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  readonly details?: { readonly retryAfterSeconds?: number }
}

/** Returns an instant as Kubernetes writes it where microseconds are expected (Leases, Events). */
export const microTime = (date: Date): string => date.toISOString().replace('Z', '000Z')
