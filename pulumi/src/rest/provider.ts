import type { dynamic } from '@pulumi/pulumi'
import { randomUUID } from 'node:crypto'
import { inProgram, isSame, type RecordKind, toBody, toProps } from './body'
import { failuresOf } from './check'
import { type Answer, call, type Connection } from './client'

type Props = Readonly<Record<string, unknown>>

const LISTS: Readonly<Record<RecordKind, string>> = { Monitor: 'v1/monitors', SerpMonitor: 'v1/serp-monitors' }
/** Stands for a secret in what a key without the scope to write is shown. */
const MASK = '********'
const BY_DEFAULT = 'tidemark'

let config: dynamic.Config | undefined

/** The properties of a resource in the state, and those of the program. */
interface Versions {
  readonly olds: Props
  readonly news: Props
}

/** The methods of the records, which Pulumi calls in a separate process. */
export const provider = {
  /** Takes the configuration of the stack. */
  configure(given: dynamic.Config): void {
    config = given
  },

  check(kind: RecordKind, _olds: Props, news: Props): dynamic.CheckResult {
    return { inputs: news, failures: failuresOf(kind, news) }
  },

  diff(kind: RecordKind, id: string, { olds, news }: Versions): dynamic.DiffResult {
    const replaces: string[] = []
    const [before, after] = [connectionName(olds), connectionName(news)]
    if (before !== after) replaces.push('connection')
    // Of another record. An import that is done says nothing more.
    if (typeof news['importedId'] === 'string' && news['importedId'] !== id) replaces.push('importedId')
    const isChanged = !isSame(toBody(kind, olds), toBody(kind, news)) || olds['suspend'] !== news['suspend']
    // Two records of one installation cannot have one external key at the same time.
    const deleteBeforeReplace = before !== after && addressOf(before) === addressOf(after)
    return { changes: isChanged || replaces.length > 0, replaces, deleteBeforeReplace }
  },

  async create(kind: RecordKind, inputs: Props): Promise<dynamic.CreateResult> {
    const connection = connectionOf(inputs)
    const body = toBody(kind, inputs)
    const { adopt, importedId } = inputs
    if (typeof importedId === 'string') return imported(connection, { kind, id: importedId, inputs })
    // One that is paused from the start has no run before it is paused.
    const path = inputs['suspend'] === true ? `${LISTS[kind]}?paused=true` : LISTS[kind]
    const { body: record } =
      typeof adopt === 'string'
        ? await call(connection, { method: 'PATCH', path: pathOf(kind, adopt), body })
        : await call(connection, { method: 'POST', path, body, idempotencyKey: randomUUID() }).catch(advise)
    const id = String(record['id'])
    const isPaused = record['status'] === 'paused'
    await pause({ connection, kind, id, isPaused, wanted: inputs['suspend'] }).catch((error: unknown) => {
      // The record exists: Pulumi has to know its id.
      throw Object.assign(error as Error, { id, properties: inputs, reasons: [String((error as Error).message)] })
    })
    return { id, outs: { ...inputs } }
  },

  async read(kind: RecordKind, id: string, props: Props): Promise<dynamic.ReadResult> {
    const { status, body } = await call(connectionOf(props), { method: 'GET', path: pathOf(kind, id) }, [404])
    if (status === 404 || body['status'] === 'deleted') return { id: '', props: {} }
    const kept = keptOf(props)
    const found = { ...withoutMasks(toProps(kind, body), props), ...suspended(props, body), ...kept }
    // A difference only in defaults is not a drift.
    const isAsDeclared = isSame(toBody(kind, found), toBody(kind, props)) && found['suspend'] === props['suspend']
    const now = isAsDeclared ? props : found
    return { id, props: now, inputs: now }
  },

  async update(kind: RecordKind, id: string, { olds, news }: Versions): Promise<dynamic.UpdateResult> {
    const connection = connectionOf(news)
    const [before, after] = [toBody(kind, olds), toBody(kind, news)]
    const changed = Object.fromEntries(Object.entries(after).filter(([key, value]) => !isSame(value, before[key])))
    // A program that says neither leaves pausing to people, and ends its own pause.
    const wanted = news['suspend'] ?? (olds['suspend'] === true ? false : undefined)
    const pausing = { connection, kind, id, isPaused: olds['suspend'], wanted }
    // No check is done with a half of what the program says.
    if (wanted === true) await pause(pausing)
    if (Object.keys(changed).length > 0)
      await call(connection, { method: 'PATCH', path: pathOf(kind, id), body: changed })
    if (wanted === false) await pause(pausing)
    return { outs: { ...news } }
  },

  async delete(kind: RecordKind, id: string, props: Props): Promise<void> {
    await call(connectionOf(props), { method: 'DELETE', path: pathOf(kind, id) }, [404])
  },
}

interface Import {
  readonly kind: RecordKind
  readonly id: string
  readonly inputs: Props
}

/** Returns the record, unchanged. Throws where the program says something else than the record has. */
async function imported(connection: Connection, { kind, id, inputs }: Import): Promise<dynamic.CreateResult> {
  const { status, body } = await call(connection, { method: 'GET', path: pathOf(kind, id) }, [404])
  if (status === 404) throw new Error(`there is no ${kind} with the id ${id} to import`)
  const [there, here] = [toBody(kind, toProps(kind, body)), toBody(kind, inputs)]
  const differing = [...new Set([...Object.keys(there), ...Object.keys(here)])]
    .filter((key) => !isSame(there[key], here[key]))
    .map(inProgram)
  const isPaused = body['status'] === 'paused'
  if (isPaused !== (inputs['suspend'] === true)) differing.push('suspend')
  if (differing.length > 0)
    throw new Error(
      `the record ${id} differs from the program in ${differing.join(', ')}: write what it has, ` +
        'or set adopt to its id in place of import, to change it to what the program says',
    )
  return { id, outs: { ...inputs } }
}

const pathOf = (kind: RecordKind, id: string) => `${LISTS[kind]}/${encodeURIComponent(id)}`

/** Properties that the API does not know. */
const keptOf = ({ adopt, connection, importedId, __provider }: Props): Props => ({
  ...(adopt !== undefined && { adopt }),
  ...(importedId !== undefined && { importedId }),
  ...(connection !== undefined && { connection }),
  ...(__provider !== undefined && { __provider }),
})

interface Pause {
  readonly connection: Connection
  readonly kind: RecordKind
  readonly id: string
  readonly isPaused: unknown
  readonly wanted: unknown
}

/** Pauses or resumes a record that is not as it is wanted. */
async function pause({ connection, kind, id, isPaused, wanted }: Pause): Promise<void> {
  if (wanted === undefined || wanted === isPaused) return
  await call(connection, { method: 'POST', path: `${pathOf(kind, id)}/${wanted === true ? 'pause' : 'resume'}` })
}

/** Returns whether a record is paused, where the program says one of both. */
const suspended = (props: Props, record: Answer['body']): Props =>
  props['suspend'] === undefined ? {} : { suspend: record['status'] === 'paused' }

/** Returns what was read with the known values where the key may not see them. */
function withoutMasks(found: Props, known: Props): Props {
  return Object.fromEntries(
    Object.entries(found).map(([key, value]) =>
      JSON.stringify(value)?.includes(MASK) && known[key] !== undefined ? [key, known[key]] : [key, value],
    ),
  )
}

/** Adds to a conflict how to take the record over that has the name already. */
function advise(error: Error): never {
  if (error.message.startsWith('CONFLICT'))
    error.message += ' To take that record over, with its history, set adopt to its id.'
  throw error
}

const connectionName = (props: Props): string =>
  typeof props['connection'] === 'string' ? props['connection'] : BY_DEFAULT

/** Returns a setting of a connection. The environment is that of the command pulumi, which starts this process. */
const setting = (name: string, key: string, variable: string): string | undefined =>
  // oxlint-disable-next-line node/no-process-env
  config?.get(`${name}:${key}`) ?? (name === BY_DEFAULT ? process.env[variable] : undefined)

const addressOf = (name: string): string | undefined =>
  setting(name, 'baseUrl', 'TIDEMARK_URL')?.replace(/\/+$/, '').toLowerCase()

/** Returns where the record is. Throws what is missing, and how to set it. */
function connectionOf(props: Props): Connection {
  const name = connectionName(props)
  const baseUrl = setting(name, 'baseUrl', 'TIDEMARK_URL')
  const apiKey = setting(name, 'apiKey', 'TIDEMARK_API_KEY')
  if (!baseUrl || !URL.canParse(baseUrl))
    throw new Error(`set the address of Tidemark: pulumi config set ${name}:baseUrl https://…`)
  if (!apiKey) throw new Error(`set an API key with the scope write: pulumi config set --secret ${name}:apiKey svc_…`)
  return { name, baseUrl, apiKey }
}
