import { LRUCache } from 'lru-cache'
import { createSecretKey } from 'node:crypto'
import { labelsOf, TEAM } from '../../core/custom-resource/annotations.ts'
import { toApiNames } from '../../core/custom-resource/names.ts'
import { secretRefs, withSecrets } from '../../core/custom-resource/with-secrets.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { hashOf } from '../../monitors/declared/applied-state.ts'
import type { Kind } from '../../monitors/kinds/kind.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { Labels } from '../../schema/monitor/labels.ts'
import { joinPath } from '../../schema/validation/issue.ts'
import { splitLater } from '../../schema/validation/later-keys.ts'
import { findTeam } from '../../store/accounts/team/teams.ts'
import type { Queryable } from '../../store/db/client.ts'
import type { KubeObject } from '../cluster/kube-object.ts'
import { type CustomResource, type DefaultTeam, teamIdOf } from './custom-resource.ts'
import type { Resolved } from './decide.ts'
import { inWords } from './issues-in-words.ts'
import { createSecretValues, type SecretValuesOptions, type ValueOf } from './secret-values.ts'

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

interface ResolverOptions extends SecretValuesOptions {
  readonly store: Queryable
  readonly egress: EgressPolicy
  readonly namespaceOf: (name: string) => KubeObject | undefined
  readonly defaultTeam: DefaultTeam | null
  /** Makes the hash of what was applied useless to a person who reads the database: it covers the values of Secrets. */
  readonly hashKey: Buffer
  /** The operator starts runner pods, so that monitors may ask for their own pods. */
  readonly startsRunners: boolean
}

const NO_RUNNER_PODS = 'can be pod only where the operator starts runner pods; see docs/runners.md'
const TEAM_MS = 10_000

/** The hash of a configuration that was read, without the configuration. */
interface KnownHash {
  readonly teamId: string
  /** The labels that the resource had: they are not part of its spec. */
  readonly labels: string
  readonly hash: Buffer
}

/** Returns what finds the team of a namespace. Where there is none, it says why. */
function createTeamFinder({ store, namespaceOf, defaultTeam }: ResolverOptions) {
  const teams = new LRUCache<string, { readonly team: Team | null }>({ max: 5_000, ttl: TEAM_MS })
  return async function teamOf(namespace: string): Promise<Team | string> {
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
}

/** Returns what finds the team of a resource of any kind, reads its Secrets and checks its configuration. */
export function createResolver(options: ResolverOptions) {
  const { egress, hashKey, startsRunners } = options
  /**
   * Hashes of configurations without Secrets, so that they are not checked each time. A generation does not identify
   * one: another definition of the kind shows the same generation with other keys.
   */
  const hashes = new WeakMap<object, KnownHash>()
  const teamOf = createTeamFinder(options)
  const valuesOf = createSecretValues(options)
  const key = createSecretKey(hashKey)

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
    const later = laterFields(records, declared)
    if (later !== null) return { kind: 'refused', reason: 'LaterVersion', message: later, secretsMs }
    const checked = check(records, declared, { valueOf, labels, egress, startsRunners })
    if (checked.kind === 'invalid')
      return { kind: 'refused', reason: 'Invalid', message: inWords(checked.issues), secretsMs }
    const { spec } = checked
    const hash = hashOf(key, [teamId, spec, declared.suspend === true])
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

/**
 * Returns why a resource is left alone that has fields which this operator does not know: a later definition of its
 * kind let them pass. Null: it has none.
 */
function laterFields(records: Kind, declared: CustomResource['spec']): string | null {
  const { suspend: _, ...rest } = withSecrets(declared, () => '')
  const { later } = splitLater(records.definition, toApiNames(records.definition, rest))
  if (later.length === 0) return null
  const unknown = later.map((path) => ({ path: joinPath('', ...path), message: 'is not known to this operator' }))
  return (
    `${inWords(unknown)}. A later version of the definition has it: the monitor stays as it is. Upgrade the operator ` +
    '(docs/upgrade.md), or remove the field.'
  )
}

/** Returns the configuration of a resource without Secrets that was valid before. */
function checkedSpec(records: Kind, declared: CustomResource['spec'], known: Omit<Checking, 'valueOf'>): EverySpec {
  const checked = check(records, declared, { ...known, valueOf: () => '' })
  if (checked.kind === 'invalid') throw new Error('a configuration that was valid is valid')
  return checked.spec
}
