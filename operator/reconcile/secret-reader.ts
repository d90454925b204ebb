import { LRUCache } from 'lru-cache'
import { TokenBucket } from '../../concurrency/loops/token-bucket.ts'
import { type KubeClient, KubeError } from '../cluster/kube-client.ts'
import { createSecretRules, type SecretObject, type SecretRules, type Withheld } from './secret-rules.ts'

/** The result of reading a Secret. The values of one that is withheld are not kept. */
export type FoundSecret =
  | { readonly kind: 'found'; readonly data: Readonly<Record<string, string>> }
  | { readonly kind: 'missing' }
  /** The API server refuses it. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: Withheld }

interface Known {
  readonly found: FoundSecret
  /** When it was asked for, by `performance.now()`. */
  readonly askedAt: number
}

interface SecretReaderOptions {
  readonly client: KubeClient
  readonly rules: SecretRules
  /** The namespace of the installation. */
  readonly installation: string
  /** Secrets are read again after this time, in milliseconds. */
  readonly secretMs: number
}

/** Reads of Secrets over all namespaces. Beyond it, a known Secret is used a little longer, and another one waits. */
const PACE = { perSecond: 10, burst: 100 }
/** An edit of a resource reads its Secrets again. Edits of many resources read one Secret no more often than this. */
const EDIT_MS = 1_000
/** The characters of a DNS subdomain, which each name of a Secret is. */
const NAME = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/

/** Returns what reads Secrets, and keeps them for a while. */
export function createSecretReader({ client, rules, installation, secretMs }: SecretReaderOptions) {
  const { isOwnName, withheld } = createSecretRules(rules, installation)
  const keptMs = Math.ceil(secretMs * 0.9)
  const secrets = new LRUCache<string, Known>({ max: 5_000 })
  /** Many resources may read the same Secret, which is asked for once. */
  const reading = new Map<string, Promise<Known>>()
  const pace = new TokenBucket(PACE)

  /** Returns whether what is known holds for a resource that was edited at `editedAt`, and if so, how long, in ms. */
  function restMs({ askedAt }: Known, editedAt: number): number {
    const ageMs = performance.now() - askedAt
    return (askedAt < editedAt ? Math.min(EDIT_MS, keptMs) : keptMs) - ageMs
  }

  /**
   * Returns a Secret, and the milliseconds after which it is to be read again; null when the pace does not allow
   * another read now. What was read before `editedAt`, by `performance.now()`, is read again.
   */
  return async function read(
    namespace: string,
    name: string,
    editedAt: number,
  ): Promise<{ readonly found: FoundSecret; readonly againMs: () => number } | null> {
    if (isOwnName(namespace, name)) return { found: { kind: 'own' }, againMs: () => secretMs }
    const place = `${namespace}/${name}`
    const before = secrets.get(place)
    const known = before && restMs(before, editedAt) > 0 ? before : await reading.get(place)
    const now = known ?? (pace.tryTake() ? await readAnew(place, namespace, name) : before)
    if (!now) return null
    return {
      found: now.found,
      againMs() {
        const rest = restMs(now, editedAt)
        // The pace did not allow another read.
        return rest > 0 ? rest + 1 : secretMs
      },
    }
  }

  async function readAnew(place: string, namespace: string, name: string): Promise<Known> {
    const askedAt = performance.now()
    const asked = ask(client, withheld, namespace, name)
      .then((found) => ({ found, askedAt }))
      .finally(() => reading.delete(place))
    reading.set(place, asked)
    const known = await asked
    secrets.set(place, known)
    return known
  }
}

/** Asks the API server for a Secret. */
async function ask(
  client: KubeClient,
  withheld: ReturnType<typeof createSecretRules>['withheld'],
  namespace: string,
  name: string,
): Promise<FoundSecret> {
  // A name of dots would lead to another path, and the API server refuses some others as an error.
  if (!NAME.test(name)) return { kind: 'missing' }
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`
  const answer = await client.call<SecretObject>({ method: 'GET', path })
  if (answer.status === 404) return { kind: 'missing' }
  if (answer.status === 403) return { kind: 'forbidden' }
  if (answer.status !== 200) throw new KubeError(`the Secret ${namespace}/${name}`, answer)
  const why = withheld(namespace, answer.body)
  return why === null ? { kind: 'found', data: answer.body.data ?? {} } : { kind: why }
}
