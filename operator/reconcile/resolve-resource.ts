import { LRUCache } from 'lru-cache'
import { createHmac, createSecretKey } from 'node:crypto'
import { labelsOf, READ_BY_MONITORS, TEAM } from '../../core/custom-resource/annotations.ts'
import { toApiNames } from '../../core/custom-resource/names.ts'
import { secretRefs, withSecrets } from '../../core/custom-resource/with-secrets.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Kind } from '../../monitors/kinds/kind.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { Labels } from '../../schema/monitor/labels.ts'
import { findTeam } from '../../store/accounts/team/teams.ts'
import type { Queryable } from '../../store/db/client.ts'
import type { KubeClient } from '../cluster/kube-client.ts'
import type { KubeObject } from '../cluster/kube-object.ts'
import { type DefaultTeam, type CustomResource, teamIdOf } from './custom-resource.ts'
import type { Resolved } from './decide.ts'
import { inWords } from './issues-in-words.ts'
import { createSecretReader, type FoundSecret } from './secret-reader.ts'
import type { SecretRules } from './secret-rules.ts'

/** A team and its owner, under whom a new monitor is recorded. */
interface Team {
  readonly id: string
  readonly owner_user_id: string
}

interface Looks {
  /** Milliseconds until a Secret that it refers to is read again. Null: it refers to none, or none was read. */
  readonly secretsMs: number | null
}

/** A resource with everything that it refers to. */
export type ResolvedResource =
  | (Extract<Resolved, { kind: 'valid' }> & {
      /** Returns the checked configuration, in the API's spelling. */
      readonly spec: () => EverySpec
      readonly ownerId: string
    } & Looks)
  | (Extract<Resolved, { kind: 'refused' }> & Looks)
  /** Its Secret was not read yet, because many are read at this moment. */
  | { readonly kind: 'later'; readonly againMs: number }

interface ResolverOptions {
  readonly client: KubeClient
  readonly store: Queryable
  readonly egress: EgressPolicy
  readonly namespaceOf: (name: string) => KubeObject | undefined
  readonly defaultTeam: DefaultTeam | null
  /** Makes the hash of what was applied useless to whoever reads the database: it covers the values of Secrets. */
  readonly hashKey: Buffer
  /** Secrets are read again after this time, in milliseconds, so that a rotated one takes effect. */
  readonly secretMs: number
  readonly secretRules: SecretRules
  /** The namespace of the installation, whose Secrets have stricter rules. */
  readonly installation: string
  /** The operator starts runner pods, so that monitors may ask for pods of their own. */
  readonly startsRunners: boolean
}

const NO_RUNNER_PODS = 'can be pod only where the operator starts runner pods; see docs/runners.md'
const TEAM_MS = 10_000
const SECRET_AGAIN_MS = 5_000
/** Resources whose last edit is known. */
const MOST_EDITS = 20_000

type ValueOf = Parameters<typeof withSecrets>[1]

/** What a configuration came to, without the configuration. */
interface KnownHash {
  readonly teamId: string
  /** The labels that the resource had: they are no part of its spec. */
  readonly labels: string
  readonly hash: Buffer
}

/** Returns what finds the team of a resource of any kind, reads its Secrets and checks its configuration. */
export function createResolver(options: ResolverOptions) {
  const { client, store, egress, namespaceOf, defaultTeam, hashKey, secretRules, installation, startsRunners } = options
  const readSecret = createSecretReader({ client, rules: secretRules, installation, secretMs: options.secretMs })
  const edits = createEdits()
  /**
   * Hashes of configurations without Secrets, so that they are not checked each time. A generation does not identify
   * one: another definition of the kind shows the same generation with other keys.
   */
  const hashes = new WeakMap<object, KnownHash>()
  const teams = new LRUCache<string, { readonly team: Team | null }>({ max: 5_000, ttl: TEAM_MS })

  const key = createSecretKey(hashKey)
  let known: Promise<string> | undefined
  const accountOnce = () => {
    known ??= accountOf(client)
    return known
  }

  async function teamOf(namespace: string): Promise<Team | string> {
    const found = namespaceOf(namespace)
    const id = found && teamIdOf(found, defaultTeam)
    if (id === undefined)
      return `The namespace ${namespace} belongs to no team: kubectl label namespace ${namespace} ${TEAM}=<its id>`
    const known = teams.get(id) ?? { team: await findTeam(store, id) }
    teams.set(id, known)
    if (known.team) return known.team
    const isNamed = found?.metadata.labels?.[TEAM] !== undefined
    return `There is no team ${id}, which ${isNamed ? `the namespace ${namespace} names` : '--default-team names'}`
  }

  /** Returns the values of all references of a resource, or why it cannot be resolved. */
  async function valuesOf(resource: CustomResource, refs: ReturnType<typeof secretRefs>) {
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
      if (found.kind === 'found') values.set(`${name}/${key}`, textOf(found.data[key]))
    }
    const valueOf: ValueOf = ({ name, key: at }) => values.get(`${name}/${at}`) ?? ''
    return { kind: 'read', valueOf, secretsMs } as const
  }

  return async function resolve(records: Kind, resource: CustomResource): Promise<ResolvedResource> {
    const { metadata, spec: declared } = resource
    const namespace = metadata.namespace ?? ''
    const refs = secretRefs(declared)
    const usesSecrets = refs.length > 0
    const team = await teamOf(namespace)
    if (typeof team === 'string') return { kind: 'refused', reason: 'NoTeam', message: `${team}.`, secretsMs: null }
    const { id: teamId, owner_user_id: ownerId } = team
    const labels = labelsOf(metadata.labels)
    const labelsText = JSON.stringify(labels)
    const knownHash = usesSecrets ? undefined : hashes.get(declared)
    if (knownHash?.teamId === teamId && knownHash.labels === labelsText) {
      const spec = () => checkedSpec(records, declared, { labels, egress, startsRunners })
      return { kind: 'valid', teamId, ownerId, spec, hash: knownHash.hash, secretsMs: null }
    }
    const read = await valuesOf(resource, refs)
    if (read.kind !== 'read') return read
    const { valueOf, secretsMs } = read
    const checked = check(records, declared, { valueOf, labels, egress, startsRunners })
    if (checked.kind === 'invalid')
      return { kind: 'refused', reason: 'Invalid', message: inWords(checked.issues), secretsMs }
    const { spec } = checked
    const applied = JSON.stringify([teamId, spec, declared.suspend === true])
    const hash = createHmac('sha256', key).update(applied).digest()
    if (!usesSecrets) hashes.set(declared, { teamId, labels: labelsText, hash })
    return { kind: 'valid', teamId, ownerId, spec: () => spec, hash, secretsMs }
  }
}

interface Checking {
  readonly valueOf: ValueOf
  readonly labels: Labels
  readonly egress: EgressPolicy
  readonly startsRunners: boolean
}

function check(records: Kind, declared: CustomResource['spec'], { valueOf, labels, egress, startsRunners }: Checking) {
  if (declared['isolation'] === 'pod' && !startsRunners)
    return { kind: 'invalid', issues: [{ path: 'isolation', message: NO_RUNNER_PODS }] } as const
  const { suspend: _, ...rest } = withSecrets(declared, valueOf)
  return records.check({ ...(toApiNames(records.definition, rest) as object), labels }, { egress })
}

/** Returns the configuration of a resource without Secrets that was valid before. */
function checkedSpec(records: Kind, declared: CustomResource['spec'], known: Omit<Checking, 'valueOf'>): EverySpec {
  const checked = check(records, declared, { ...known, valueOf: () => '' })
  if (checked.kind === 'invalid') throw new Error('a configuration that was valid is valid')
  return checked.spec
}

/**
 * Returns what tells when a resource was edited last, by `performance.now()`: its spec, an annotation or a label. One
 * that was not edited since it was seen first counts from its creation: after a start of the operator, a Secret that
 * many of them name is read once.
 */
function createEdits() {
  const edits = new LRUCache<string, { readonly what: string; readonly at: number }>({ max: MOST_EDITS })
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

/** Returns what lets the operator read one Secret. The role is named after it: the next one gets a role of its own. */
function allowing(place: SecretPlace): string {
  const { namespace, name, account, needsLabel } = place
  const role = `tidemark-secret-${name}`
  return (
    `kubectl create role ${role} -n ${namespace} --verb get --resource secrets --resource-name ${name} && ` +
    `kubectl create rolebinding ${role} -n ${namespace} --role ${role} ${account}` +
    (needsLabel ? ` && ${labelling(place)}` : '')
  )
}

/** A line break at the end comes from `echo` and from files, and is never part of an address or a header. */
const textOf = (base64 = ''): string =>
  Buffer.from(base64, 'base64')
    .toString('utf8')
    .replace(/\r?\n$/, '')
