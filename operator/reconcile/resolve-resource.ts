import { createHmac, createSecretKey } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { labelsOf } from '../../core/custom-resource/annotations.ts'
import { toApiNames, toResourcePath } from '../../core/custom-resource/names.ts'
import { secretRefs, withSecrets } from '../../core/custom-resource/with-secrets.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { RecordKind } from '../../monitors/record-kind.ts'
import type { Labels } from '../../schema/monitor/labels.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import type { Queryable } from '../../store/db/client.ts'
import { findTeam } from '../../store/accounts/team/teams.ts'
import { type KubeClient, KubeError } from '../cluster/kube-client.ts'
import { TokenBucket } from '../../concurrency/token-bucket.ts'
import type { KubeObject } from '../cluster/kube-object.ts'
import type { Resolved } from './decide.ts'
import { type DefaultTeam, type CustomResource, TEAM, teamIdOf } from './custom-resource.ts'

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
      readonly spec: () => unknown
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
  /** The operator starts runner pods, so that monitors may ask for pods of their own. */
  readonly startsRunners: boolean
}

const NO_RUNNER_PODS = 'can be pod only where the operator starts runner pods; see docs/runners.md'
const TEAM_MS = 10_000
/** Reads of Secrets over all namespaces. Beyond it, a known Secret is used a little longer, and another one waits. */
const SECRET_PACE = { perSecond: 10, burst: 100 }
const SECRET_AGAIN_MS = 5_000
/** The characters of a DNS subdomain, which each name of a Secret is. */
const SECRET_NAME = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/

type ValueOf = Parameters<typeof withSecrets>[1]

/** What a configuration came to, without the configuration. */
interface KnownHash {
  readonly teamId: string
  /** The labels that the resource had: they are no part of its spec. */
  readonly labels: string
  readonly hash: Buffer
}

type FoundSecret =
  | { readonly kind: 'found'; readonly data: Readonly<Record<string, string>> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'forbidden' }

/** Returns what finds the team of a resource of any kind, reads its Secrets and checks its configuration. */
export function createResolver(options: ResolverOptions) {
  const { client, store, egress, namespaceOf, defaultTeam, hashKey, secretMs, startsRunners } = options
  const secrets = createSecretReader(client, secretMs)
  /**
   * Hashes of configurations without Secrets, so that they are not checked each time. A generation does not identify
   * one: another definition of the kind shows the same generation with other keys.
   */
  const hashes = new WeakMap<object, KnownHash>()
  const teams = new LRUCache<string, { readonly team: Team | null }>({ max: 5_000, ttl: TEAM_MS })

  const key = createSecretKey(hashKey)
  let known: Promise<string> | undefined
  const account = () => {
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

  return async function resolve(
    records: RecordKind,
    { metadata, spec: declared }: CustomResource,
  ): Promise<ResolvedResource> {
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
    const values = new Map<string, string>()
    let secretsMs: number | null = null
    for (const { name, key } of refs) {
      const found = await secrets.read(namespace, name)
      if (!found) return { kind: 'later', againMs: SECRET_AGAIN_MS * (0.5 + Math.random()) }
      // Asked before the next one is read: that may take longer than this one is kept.
      secretsMs = Math.min(secretsMs ?? Number.POSITIVE_INFINITY, secrets.restMs(namespace, name))
      const message = faultOf(found, {
        namespace,
        name,
        key,
        account: found.kind === 'forbidden' ? await account() : '',
      })
      if (message) return { ...message, kind: 'refused', secretsMs }
      if (found.kind === 'found') values.set(`${name}/${key}`, textOf(found.data[key]))
    }
    const valueOf: ValueOf = ({ name, key: at }) => values.get(`${name}/${at}`) ?? ''
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

function check(
  records: RecordKind,
  declared: CustomResource['spec'],
  { valueOf, labels, egress, startsRunners }: Checking,
) {
  if (declared['isolation'] === 'pod' && !startsRunners)
    return { kind: 'invalid', issues: [{ path: 'isolation', message: NO_RUNNER_PODS }] } as const
  const { suspend: _, ...rest } = withSecrets(declared, valueOf)
  return records.check({ ...(toApiNames(records.definition, rest) as object), labels }, egress)
}

/** Returns the configuration of a resource without Secrets that was valid before. */
function checkedSpec(records: RecordKind, declared: CustomResource['spec'], known: Omit<Checking, 'valueOf'>): unknown {
  const checked = check(records, declared, { ...known, valueOf: () => '' })
  if (checked.kind === 'invalid') throw new Error('a configuration that was valid is valid')
  return checked.spec
}

/** Returns what reads Secrets, and keeps them for a while. */
function createSecretReader(client: KubeClient, secretMs: number) {
  const secrets = new LRUCache<string, FoundSecret>({
    max: 5_000,
    ttl: Math.ceil(secretMs * 0.9),
    noDeleteOnStaleGet: true,
  })
  /** Many resources may read the same Secret, which is asked for once. */
  const reading = new Map<string, Promise<FoundSecret>>()
  const pace = new TokenBucket(SECRET_PACE)

  async function readNow(namespace: string, name: string): Promise<FoundSecret> {
    // A name of dots would lead to another path, and the API server refuses some others as an error.
    if (!SECRET_NAME.test(name)) return { kind: 'missing' }
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`
    const answer = await client.call<{ data?: Readonly<Record<string, string>> }>({ method: 'GET', path })
    if (answer.status === 404) return { kind: 'missing' }
    if (answer.status === 403) return { kind: 'forbidden' }
    if (answer.status !== 200) throw new KubeError(`the Secret ${namespace}/${name}`, answer)
    return { kind: 'found', data: answer.body.data ?? {} }
  }

  return { read: secretOf, restMs }

  /** Returns how long a Secret is still taken as it was read. */
  function restMs(namespace: string, name: string): number {
    const rest = secrets.getRemainingTTL(`${namespace}/${name}`)
    // The pace did not allow another read.
    return rest > 0 ? rest + 1 : secretMs
  }

  /** Returns a Secret; null when the pace does not allow another read now. */
  async function secretOf(namespace: string, name: string): Promise<FoundSecret | null> {
    const place = `${namespace}/${name}`
    const known = secrets.get(place) ?? (await reading.get(place))
    if (known) return known
    if (!pace.tryTake()) return secrets.get(place, { allowStale: true }) ?? null
    const asked = readNow(namespace, name).finally(() => reading.delete(place))
    reading.set(place, asked)
    const found = await asked
    secrets.set(place, found)
    return found
  }
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
  readonly account: string
}

function faultOf(found: FoundSecret, { namespace, name, key, account }: SecretPlace) {
  if (found.kind === 'missing')
    return { reason: 'SecretMissing', message: `There is no Secret ${name} in the namespace ${namespace}.` } as const
  if (found.kind === 'forbidden')
    return {
      reason: 'SecretForbidden',
      message:
        `The operator may not read the Secret ${name}. Allow it: kubectl create role tidemark-secrets ` +
        `--namespace ${namespace} --verb get --resource secrets && kubectl create rolebinding tidemark-secrets ` +
        `--namespace ${namespace} --role tidemark-secrets ${account}`,
    } as const
  if (!Object.hasOwn(found.data, key))
    return { reason: 'SecretMissing', message: `The Secret ${name} has no key ${key}.` } as const
  return null
}

/** A line break at the end comes from `echo` and from files, and is never part of an address or a header. */
const textOf = (base64 = ''): string =>
  Buffer.from(base64, 'base64')
    .toString('utf8')
    .replace(/\r?\n$/, '')

/** Returns the API's own words, with paths in the resource's spelling. */
const inWords = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `${path === '' ? '' : `${toResourcePath(path)} `}${message}`).join('; ')
