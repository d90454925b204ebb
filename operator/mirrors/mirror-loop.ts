import { createHash } from 'node:crypto'
import { sleep } from '../../concurrency/loops/sleep.ts'
import type { TokenBucket } from '../../concurrency/loops/token-bucket.ts'
import { createWakeableLoop, type WakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import { MIRROR_OF, MIRRORED } from '../../core/custom-resource/annotations.ts'
import { resourceName } from '../../core/custom-resource/resource-name.ts'
import { ExplainedError } from '../../core/explained-error.ts'
import { isUuid } from '../../core/is-uuid.ts'
import type { Logger } from '../../core/logger.ts'
import { manifestOf } from '../../monitors/declared/manifest-of.ts'
import { hasLaterKeys } from '../../monitors/later-keys.ts'
import { RESOURCE_API, resourcesPath } from '../../schema/resource-kind.ts'
import type { Queryable } from '../../store/db/client.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import { mirroredRecords } from '../../store/monitors/monitor-resource.ts'
import { type ResultsRow, resultsOf } from '../../store/monitors/monitor-results.ts'
import { type SecretBox, tolerantBox } from '../../store/secrets/secret-box.ts'
import { JSON_PATCH, type KubeAnswer, type KubeClient, KubeError } from '../cluster/kube-client.ts'
import type { KubeObject } from '../cluster/kube-object.ts'
import type { MirrorTimes } from '../operator-times.ts'
import {
  type DefaultTeam,
  MIRROR_MANAGER,
  type CustomResource,
  pathOf,
  teamIdOf,
} from '../reconcile/custom-resource.ts'
import { failedDestinations } from '../reconcile/failed-destinations.ts'
import type { OperatedKind } from '../reconcile/kinds.ts'
import { isNews, statusOf, statusPatch } from '../reconcile/status.ts'

const PAGE = 50
/** On a namespace: records of the API that belong to its team are mirrored there. */
const MIRROR = 'tidemark.dev/mirror'

interface MirrorLoopOptions {
  readonly kind: OperatedKind
  /** The pace of writes to the API server, over the mirrors of all kinds. */
  readonly pace: TokenBucket
  readonly client: KubeClient
  readonly store: Queryable
  readonly secrets: SecretBox
  readonly namespaces: () => Iterable<KubeObject>
  /** The mirrors that the API server has. */
  readonly mirrors: () => readonly CustomResource[]
  /** Takes over the answer to a write. */
  readonly learn: (resource: CustomResource) => void
  readonly defaultTeam: DefaultTeam | null
  readonly times: MirrorTimes
  readonly log: Pick<Logger, 'warn'>
}

/** One way through the records of all mirroring namespaces. */
interface Sweep {
  readonly places: { readonly namespace: string; readonly teamId: string }[]
  /** The records of the first place were looked at up to this number. */
  after: number
  /** The mirrors that existed at the beginning, by namespace and id. What is left at the end goes. */
  readonly left: Map<string, CustomResource>
}

/**
 * Keeps the mirrors of one kind: read-only resources in labelled namespaces that show the records of the API. It goes
 * through the records in pages and compares each with its mirror, at a bounded pace. A mirror has no finalizer, and
 * does not create a record. One that somebody deletes comes back, and one that somebody edits is put right.
 */
export function createMirrorLoop(options: MirrorLoopOptions): WakeableLoop {
  const { kind, pace, store, times, log } = options
  const writer = { ...options, secrets: tolerantBox(options.secrets, () => {}), take: () => sleep(pace.reserve()) }
  let sweep: Sweep | null = null
  /** Said once, until something was mirrored again. */
  let missing = ''
  return createWakeableLoop({
    async work(stopping) {
      sweep ??= begin(options)
      const [place] = sweep.places
      if (place) {
        const records = await mirroredRecords(
          store,
          place.teamId,
          { after: sweep.after, limit: PAGE },
          kind.records.table,
        )
        const results = await resultsOf(
          store,
          kind.records.table,
          records.map(({ no }) => no),
        )
        for (const record of records) {
          if (stopping.aborted) return 0
          const resource = await mirror(writer, place.namespace, record, sweep)
          if (resource) await report(writer, resource, { record, results: results.get(record.no) ?? null })
        }
        sweep.after = records.at(-1)?.no ?? 0
        if (records.length < PAGE) {
          sweep.places.shift()
          sweep.after = 0
        }
        return records.length < PAGE ? 0 : times.pageMs
      }
      for (const resource of sweep.left.values()) {
        if (stopping.aborted) return 0
        await remove(writer, resource)
      }
      sweep = null
      missing = ''
      return times.everyMs
    },
    onFault: (err) => {
      // What was seen so far may be out of date.
      sweep = null
      if (err instanceof MirrorRightsError) {
        if (missing !== err.message) log.warn({ reason: err.reason }, err.message)
        missing = err.message
      } else log.warn({ err }, 'records could not be mirrored; trying again')
    },
    faultPauses: { firstMs: 1_000, longestMs: 60_000 },
  })
}

const idIn = (namespace: string | undefined, id: string | undefined) => `${namespace}/${id}`

function begin({ namespaces, mirrors, defaultTeam }: MirrorLoopOptions): Sweep {
  const places = [...namespaces()].flatMap((namespace) => {
    const teamId = teamIdOf(namespace, defaultTeam)
    const isWanted = namespace.metadata.labels?.[MIRROR] === 'true' && teamId !== undefined && isUuid(teamId)
    return isWanted ? [{ namespace: namespace.metadata.name, teamId }] : []
  })
  const left = new Map(
    mirrors().map((resource) => [
      `${idIn(resource.metadata.namespace, resource.metadata.labels?.[MIRROR_OF])}/${resource.metadata.name}`,
      resource,
    ]),
  )
  return { places, after: 0, left }
}

interface Writer extends MirrorLoopOptions {
  /** Waits for the turn of a write. */
  readonly take: () => Promise<void>
}

/** Ensures that the mirror of a record exists. Returns null when it cannot exist. */
async function mirror(
  writer: Writer,
  namespace: string,
  record: EveryRow,
  sweep: Sweep,
): Promise<CustomResource | null> {
  const name = resourceName(record, false)
  const key = `${idIn(namespace, record.id)}/${name}`
  const known = sweep.left.get(key)
  sweep.left.delete(key)
  // A later version has mirrored it, or will.
  if (hasLaterKeys(writer.kind.records, writer.secrets, record)) return null
  const { manifest } = manifestOf(writer.kind.records, writer.secrets, record, { name, adopts: false })
  // Values that may be secret are references to a Secret that nobody made: a mirror shows none.
  const spec = manifest['spec'] as CustomResource['spec']
  const { labels = {} } = manifest['metadata'] as CustomResource['metadata']
  const hash = createHash('sha256')
    .update(JSON.stringify([spec, labels]))
    .digest('hex')
    .slice(0, 32)
  const isRight =
    known?.metadata.annotations?.[MIRRORED] === hash && known.status?.observedGeneration === known.metadata.generation
  const metadata = { name, namespace, labels: { ...labels, [MIRROR_OF]: record.id }, annotations: { [MIRRORED]: hash } }
  return isRight ? known : await write(writer, { metadata, spec }, known)
}

/** A namespace asks for mirrors, or has some, and the operator has no right to write them. */
class MirrorRightsError extends ExplainedError {
  override readonly name = 'MirrorRightsError'
  readonly reason: string

  constructor(namespace: string, reason: string) {
    super(
      `the operator may not write the mirrors of the namespace ${namespace}: set operator.mirrors=true in the ` +
        `values of the chart, or remove its label ${MIRROR} and delete them: kubectl delete monitors,serpmonitors ` +
        `-n ${namespace} -l ${MIRROR_OF}`,
    )
    this.reason = reason
  }
}

/** What the API server says to an account without a right. It says something else of a namespace that is going. */
const LACKS_RIGHT = /cannot (?:create|update|delete) resource "/

interface Wanted {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: CustomResource['spec']
}

/** Creates or replaces a mirror. Returns null when it cannot exist; the next sweep tries again. */
async function write(
  { kind, client, learn, take, log }: Writer,
  wanted: Wanted,
  known: CustomResource | undefined,
): Promise<CustomResource | null> {
  const { name, namespace } = wanted.metadata
  const collection = resourcesPath(kind.records.resource, namespace)
  const resourceVersion = known && { resourceVersion: known.metadata.resourceVersion }
  await take()
  const answer: KubeAnswer<CustomResource> = await client.call({
    method: known ? 'PUT' : 'POST',
    path: `${known ? `${collection}/${name}` : collection}?fieldManager=${MIRROR_MANAGER}`,
    body: {
      apiVersion: RESOURCE_API,
      kind: kind.records.resource.kind,
      metadata: { ...wanted.metadata, ...resourceVersion },
      spec: wanted.spec,
    },
  })
  if (answer.status < 300) {
    learn(answer.body)
    return answer.body
  }
  const said = answer.body.message ?? ''
  if (answer.status === 403 && LACKS_RIGHT.test(said)) throw new MirrorRightsError(namespace, said)
  // Changed or deleted since the sweep saw it, or the namespace is going: the next sweep sees what there is.
  if ([403, 404, 409].includes(answer.status)) return null
  if (answer.status !== 422) throw new KubeError(`the mirror ${namespace}/${name}`, answer)
  log.warn({ namespace, name, reason: answer.body.message }, 'the cluster refuses the mirror of a monitor')
  return null
}

async function report(
  { kind, client, secrets, learn, take }: Writer,
  resource: CustomResource,
  { record, results }: { readonly record: EveryRow; readonly results: ResultsRow | null },
): Promise<void> {
  const failed = results === null ? [] : failedDestinations(resource, results, secrets)
  const running = { results, failed }
  const status = statusOf(kind, resource, { kind: 'accepted', id: record.id, running }, new Date())
  if (!isNews(resource.status, status)) return
  await take()
  const path = `${pathOf(kind.records.resource, resource)}/status`
  const body = statusPatch(resource.metadata.resourceVersion, status)
  const answer = await client.call<CustomResource>({ method: 'PATCH', path, body, contentType: JSON_PATCH })
  if (answer.status < 300) learn(answer.body)
  else if (answer.status === 403)
    throw new MirrorRightsError(resource.metadata.namespace ?? '', answer.body.message ?? '')
  // Changed or deleted since the sweep saw it: the next sweep sees what there is.
  else if (![404, 409].includes(answer.status)) throw new KubeError('the status of a mirror', answer)
}

async function remove({ kind, client, take }: Writer, resource: CustomResource): Promise<void> {
  await take()
  const { uid } = resource.metadata
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } }
  const answer = await client.call({ method: 'DELETE', path: pathOf(kind.records.resource, resource), body })
  if (answer.status === 403) throw new MirrorRightsError(resource.metadata.namespace ?? '', answer.body.message ?? '')
  if (answer.status >= 300 && ![404, 409].includes(answer.status)) throw new KubeError('the end of a mirror', answer)
}
