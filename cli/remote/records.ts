import { keyOfIdentity } from '../../core/custom-resource/resource-name.ts'
import { isUuid } from '../../core/is-uuid.ts'
import { printable } from '../../core/printable.ts'
import { tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { MONITOR_KINDS, type MonitorKind, RESOURCE_KINDS, resourceKindOf } from '../../schema/resource-kind.ts'
import { exitCode } from '../exit-codes.ts'
import type { RemoteClient } from './remote-client.ts'
import { RemoteError } from './remote-error.ts'
import { KINDS_WITH_ERRORS, type RemoteRecord, remoteKindOf } from './remote-kinds.ts'
import type { RemoteRequest } from './remote-request.ts'

/** Returns the path of the list of a kind. */
export const listPath = (kind: MonitorKind): string => `/v1/${resourceKindOf(kind).collection}`

/** The label of every monitor that `apply` made: its value is `--set`. */
export const SET_LABEL = 'tidemark-set'

/** On a monitor that a manifest suspends: applying it without `suspend` resumes it, and no other paused one. */
export const SUSPENDED_LABEL = 'tidemark-suspended'

/** What an argument refers to: an id, a name, or the namespace and name of a manifest. */
interface Reference {
  readonly text: string
  /** Null: of either kind. */
  readonly kind: MonitorKind | null
}

/** Returns the kind that a word names, in the ways that kubectl takes it. */
function kindOf(word: string): MonitorKind | null {
  const lower = word.toLowerCase()
  const named = RESOURCE_KINDS.find(({ plural, singular, shortName }) => [plural, singular, shortName].includes(lower))
  return named?.declares ?? null
}

/** Returns what the arguments refer to: `kettle`, `shop/kettle`, `monitor/kettle`, an id, or `monitors kettle pot`. */
export function referencesOf(words: readonly string[]): {
  readonly kind: MonitorKind | null
  readonly references: Reference[]
} {
  const [first = '', ...rest] = words
  const kind = kindOf(first)
  const references = (kind === null ? words : rest).map((word): Reference => {
    const [before = '', ...after] = word.split('/')
    const own = after.length > 0 ? kindOf(before) : null
    return own === null ? { text: word, kind } : { text: after.join('/'), kind: own }
  })
  return { kind, references }
}

/** As above. Throws where the arguments refer to nothing. */
export function neededReferences(words: readonly string[]): Reference[] {
  const { references } = referencesOf(words)
  if (references.length === 0)
    throw new RemoteError('say which monitor: its name, its id, or namespace/name of its manifest', 'usage')
  return references
}

const kindsOf = (kind: MonitorKind | readonly MonitorKind[] | null): readonly MonitorKind[] =>
  kind === null ? MONITOR_KINDS : typeof kind === 'string' ? [kind] : kind

const recordOf = (kind: MonitorKind, record: RemoteRecord['record']) => ({ kind, record }) as RemoteRecord

/** Returns all records of one kind, of several, or of all: pages before searches. */
export async function listRecords(
  client: RemoteClient,
  kind: MonitorKind | readonly MonitorKind[] | null,
  query: RemoteRequest['query'] = {},
): Promise<RemoteRecord[]> {
  const found: RemoteRecord[] = []
  for (const each of kindsOf(kind))
    for await (const record of client.list<RemoteRecord['record']>(listPath(each), query))
      found.push(recordOf(each, record))
  return found
}

/** Returns the kinds to list by a status: the list of a kind without the status `error` refuses it. */
export function listedKinds(
  kind: MonitorKind | null,
  status: string | undefined,
): MonitorKind | readonly MonitorKind[] | null {
  if (status !== 'error') return kind
  if (kind === null) return KINDS_WITH_ERRORS
  if (!KINDS_WITH_ERRORS.includes(kind))
    throw new RemoteError(`a ${resourceKindOf(kind).singular} is never in the status error`, 'usage')
  return kind
}

/** Longest name of a monitor. */
const MAX_NAME = 200

/** Returns the one record that a reference names. Throws where there is none, and where there are several. */
export async function findRecord(client: RemoteClient, { text, kind }: Reference): Promise<RemoteRecord> {
  const what = kind === null ? 'monitor' : resourceKindOf(kind).singular
  if (isUuid(text)) {
    for (const each of kindsOf(kind)) {
      const path = `${listPath(each)}/${text}`
      const record = await client.find<RemoteRecord['record']>({ method: 'GET', path })
      if (record) return recordOf(each, record)
    }
    throw missing(`there is no ${what} with the id ${text}; "./tidemark get -o wide" shows the ids`)
  }
  if (text === '' || text.length > MAX_NAME) throw new RemoteError(`no ${what} has the name "${text}"`, 'usage')
  // A manifest without a namespace is in the namespace default.
  const key = text.includes('/') ? text : keyOfIdentity({ name: text })
  const declared = await listRecords(client, kind, { external_key: key })
  const alike = await listRecords(client, kind, { name: text })
  const same = [...declared, ...alike.filter(({ record }) => record.name === text)]
  const [found, ...others] = [...new Map(same.map((one) => [nameOf(one), one])).values()]
  if (!found) throw noneOfName(text, what, alike)
  if (others.length > 0) throw severalOfName(text, what, [found, ...others])
  return found
}

interface Wanted {
  readonly client: RemoteClient
  readonly references: readonly (Reference | RemoteRecord)[]
  /** A record that does not exist is not a failure. */
  readonly ignoresMissing?: boolean
}

/**
 * Calls `act` with each record that is given or named. Says on standard error which of them fail, and goes on with the
 * others.
 *
 * @returns the exit code: that of the first failure
 */
export async function forEachRecord(
  io: ProcessIo,
  { client, references, ignoresMissing = false }: Wanted,
  act: (found: RemoteRecord) => Promise<void>,
): Promise<number> {
  let ending = exitCode('ok')
  for (const reference of references) {
    try {
      await act('record' in reference ? reference : await findRecord(client, reference))
    } catch (error) {
      // Those of the server hold for the others too, and so does a key that is unknown. One that may not do this to a
      // monitor, such as one that billing has locked, may do it to another.
      const isOfOne = error instanceof RemoteError && (error.exitCode === exitCode('failed') || error.status === 403)
      if (!isOfOne) throw error
      if (ignoresMissing && error.status === 404) continue
      tell(io, `tidemark: ${error.message}\n`)
      ending ||= error.exitCode
    }
  }
  return ending
}

function noneOfName(text: string, what: string, alike: readonly RemoteRecord[]): RemoteError {
  const names = alike.slice(0, 5).map(({ record }) => `"${printable(record.name)}"`)
  const hint = names.length > 0 ? `; did you mean ${names.join(' or ')}?` : '; "./tidemark get" shows all'
  return missing(`there is no ${what} "${text}"${hint}`)
}

const missing = (message: string) => new RemoteError(message, 'failed', 404)

function severalOfName(text: string, what: string, found: readonly RemoteRecord[]): RemoteError {
  const lines = found.slice(0, 10).map((one) => `\n  ${nameOf(one)}`)
  return new RemoteError(`${found.length} ${what}s have the name "${text}"; name one by its id:${lines.join('')}`)
}

/** Returns the reference to a record that every command takes, and that no other record has. */
export const nameOf = ({ kind, record }: RemoteRecord): string => `${resourceKindOf(kind).singular}/${record.id}`

/** Returns the path of a record. */
export const pathOf = ({ kind, record }: RemoteRecord): string => `${listPath(kind)}/${record.id}`

/** Returns what a monitor watches. */
export const watchedBy = (found: RemoteRecord): string => remoteKindOf(found).watches(found.record)
