import { LRUCache } from 'lru-cache'
import { READ_BY_MONITORS } from '../../core/custom-resource/annotations.ts'
import { decodedSecret } from '../../core/custom-resource/secret-text.ts'
import type { secretRefs, withSecrets } from '../../core/custom-resource/with-secrets.ts'
import type { KubeClient } from '../cluster/kube-client.ts'
import type { CustomResource } from './custom-resource.ts'
import { createSecretReader, type FoundSecret } from './secret-reader.ts'
import type { SecretRules } from './secret-rules.ts'

const SECRET_AGAIN_MS = 5_000
/** Resources whose last edit is known. */
const MAX_EDITS = 20_000

export type ValueOf = Parameters<typeof withSecrets>[1]

/** How the Secrets of resources are read. */
export interface SecretValuesOptions {
  readonly client: KubeClient
  readonly secretRules: SecretRules
  /** The namespace of the installation, whose Secrets have stricter rules. */
  readonly installation: string
  /** Secrets are read again after this time, in milliseconds, so that a rotated one takes effect. */
  readonly secretMs: number
}

/** Returns what reads the Secrets that a resource refers to. */
export function createSecretValues({ client, secretRules, installation, secretMs }: SecretValuesOptions) {
  const readSecret = createSecretReader({ client, rules: secretRules, installation, secretMs })
  const edits = createEdits()
  let known: Promise<string> | undefined
  const accountOnce = () => {
    known ??= accountOf(client)
    return known
  }

  /** Returns the values of all references of a resource, or why it cannot be resolved. */
  return async function valuesOf(resource: CustomResource, refs: ReturnType<typeof secretRefs>) {
    const { namespace = '' } = resource.metadata
    const values = new Map<string, string>()
    const editedAt = refs.length > 0 ? edits(resource) : 0
    let secretsMs: number | null = null
    for (const { name, key } of refs) {
      const answer = await readSecret(namespace, name, editedAt)
      if (!answer) return { kind: 'later', againMs: SECRET_AGAIN_MS * (0.5 + Math.random()) } as const
      const { found } = answer
      // Asked before the next one is read: that may take longer than this one is kept.
      secretsMs = Math.min(secretsMs ?? Number.POSITIVE_INFINITY, answer.againMs())
      const needsLabel = secretRules.requireLabel || namespace === installation
      const account = found.kind === 'forbidden' ? await accountOnce() : ''
      const fault = faultOf(found, { namespace, name, key, needsLabel, account })
      if (fault) return { ...fault, kind: 'refused', secretsMs } as const
      if (found.kind === 'found') values.set(`${name}/${key}`, decodedSecret(found.data[key] ?? ''))
    }
    const valueOf: ValueOf = ({ name, key: at }) => values.get(`${name}/${at}`) ?? ''
    return { kind: 'read', valueOf, secretsMs } as const
  }
}

/**
 * Returns what tells when a resource was edited last, by `performance.now()`: its spec, an annotation or a label. One
 * that was not edited since it was seen first counts from its creation: after a start of the operator, a Secret that
 * many of them name is read once.
 */
function createEdits() {
  const edits = new LRUCache<string, { readonly what: string; readonly at: number }>({ max: MAX_EDITS })
  return ({ metadata: { uid, generation, edit, creationTimestamp } }: CustomResource): number => {
    const what = `${generation} ${edit}`
    const known = edits.get(uid)
    if (known?.what === what) return known.at
    const at = known === undefined ? createdAt(creationTimestamp) : performance.now()
    edits.set(uid, { what, at })
    return at
  }
}

/** Returns by `performance.now()` when an object was made at the latest; its time has whole seconds. */
const createdAt = (creationTimestamp = ''): number => {
  const agoMs = Date.now() - Date.parse(creationTimestamp) - 1_000
  return performance.now() - (agoMs > 0 ? agoMs : 0)
}

/** Returns the option by which kubectl binds a role to the account of this process. */
async function accountOf(client: KubeClient): Promise<string> {
  type Review = { readonly status?: { readonly userInfo?: { readonly username?: string } } }
  const answer = await client.call<Review>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  })
  const name = answer.body.status?.userInfo?.username ?? '<user of the operator>'
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? []
  return account === undefined ? `--user '${name}'` : `--serviceaccount ${namespace}:${account}`
}

interface SecretPlace {
  readonly namespace: string
  readonly name: string
  readonly key: string
  /** It is read only with the label. */
  readonly needsLabel: boolean
  readonly account: string
}

function faultOf(found: FoundSecret, place: SecretPlace) {
  const { namespace, name, key } = place
  switch (found.kind) {
    case 'missing':
      return { reason: 'SecretMissing', message: `There is no Secret ${name} in the namespace ${namespace}.` } as const
    case 'forbidden':
      return {
        reason: 'SecretForbidden',
        message: `The operator may not read the Secret ${name}. Allow it: ${allowing(place)}`,
      } as const
    case 'unlabelled':
      return {
        reason: 'SecretForbidden',
        message:
          `The Secret ${name} does not say that monitors may read it. Whoever may create a monitor in the namespace ` +
          `${namespace} can then use its values. Allow it: ${labelling(place)}`,
      } as const
    case 'own':
      return {
        reason: 'SecretForbidden',
        message:
          `The Secret ${name} belongs to an installation, and no monitor may read it. ` +
          'Put the value into another Secret.',
      } as const
    case 'found':
      if (Object.hasOwn(found.data, key)) return null
      return { reason: 'SecretMissing', message: `The Secret ${name} has no key ${key}.` } as const
  }
}

const labelling = ({ name, namespace }: SecretPlace): string =>
  `kubectl label secret ${name} -n ${namespace} ${READ_BY_MONITORS}=true`

/** Returns what lets the operator read one Secret. The role is named after it: the next one gets another role. */
function allowing(place: SecretPlace): string {
  const { namespace, name, account, needsLabel } = place
  const role = `tidemark-secret-${name}`
  return (
    `kubectl create role ${role} -n ${namespace} --verb get --resource secrets --resource-name ${name} && ` +
    `kubectl create rolebinding ${role} -n ${namespace} --role ${role} ${account}` +
    (needsLabel ? ` && ${labelling(place)}` : '')
  )
}
