import { csvLine } from '../../../core/csv.ts'
import { runIdTime } from '../../../core/run-id.ts'
import { History, HistoryQuery, type HistoryRow, MAX_HISTORY } from '../../../schema/run/history.ts'
import type { Values } from '../../../schema/shape/json.ts'
import type { Store } from '../../../store/db/client.ts'
import { findHistory, readHistory, type StoredHistory } from '../../../store/runs/history.ts'
import { begun } from '../../http/begun.ts'
import { noSuch } from '../../http/common-errors.ts'
import { ById, okParts, type Route, route } from '../../http/route.ts'
import type { ServedKind } from './served-kind.ts'

/** The history of a monitor, with the values of its newest run that has some. */
interface Read {
  readonly batches: AsyncIterable<readonly StoredHistory[]>
  /** As the text of JSON. */
  readonly newest: string | null
}

/** Returns the routes that export the history of a monitor of one kind. */
export const historyRoutes = ({ path, noun, tag, kind: { table }, series }: ServedKind): readonly Route[] => {
  async function read(store: Store, wanted: Omit<Parameters<typeof findHistory>[1], 'kind'>): Promise<Read> {
    const head = await findHistory(store, { ...wanted, kind: table.kind }, series)
    if (!head) throw noSuch('monitor')
    return { batches: readHistory(store, head, series), newest: head.newest }
  }
  const shared = {
    method: 'GET',
    tag,
    policy: 'runs.read',
    work: 'export',
    params: ById,
    query: HistoryQuery,
    streams: true,
    beyond: true,
  } as const
  const description =
    `Each run that did not find the same values again, the newest first, ${MAX_HISTORY.toLocaleString('en')} at ` +
    "most. Only runs inside the plan's retention window."
  return [
    route({
      ...shared,
      path: `${path}/:id/runs/export`,
      summary: `Export the history of a ${noun} as CSV`,
      description:
        `${description} Each field of the newest run with values has a column; other fields are JSON in the last ` +
        'one. A cell that a spreadsheet could take for a formula has an apostrophe in front.',
      answers: { 200: { description: 'The history.', only: 'text/csv' } },
      async handle({ params: { id }, query, principal: { teamId }, services: { store } }) {
        const content = await begun(csvOf(await read(store, { teamId, monitorId: id, ...query })))
        const headers = { 'content-disposition': 'attachment; filename="history.csv"' }
        return { status: 200, stream: { type: 'text/csv', content }, headers }
      },
    }),
    route({
      ...shared,
      path: `${path}/:id/runs/export/json`,
      summary: `Export the history of a ${noun} as JSON`,
      description,
      answers: { 200: { description: 'The history.', schema: History } },
      async handle({ params: { id }, query, principal: { teamId }, services: { store } }) {
        return okParts(await begun(jsonOf(await read(store, { teamId, monitorId: id, ...query }))))
      },
    }),
  ]
}

const endedAt = ({ id, ended_ms: ms }: StoredHistory): string => new Date(runIdTime(id) + ms).toISOString()

async function* jsonOf({ batches }: Read): AsyncGenerator<string, void, void> {
  let lead = '{"data":['
  for await (const batch of batches) {
    yield lead + batch.map(jsonRow).join(',\n')
    lead = ',\n'
  }
  yield lead === ',\n' ? ']}\n' : `${lead}]}\n`
}

function jsonRow(stored: StoredHistory): string {
  const { id, status, fired, error_code, values } = stored
  const row: Omit<HistoryRow, 'values'> = { run_id: id, at: endedAt(stored), status, fired, error_code }
  // The values are JSON already.
  return `${JSON.stringify(row).slice(0, -1)},"values":${values ?? 'null'}}`
}

async function* csvOf({ batches, newest }: Read): AsyncGenerator<string, void, void> {
  const fields = Object.keys(valuesOf(newest))
  yield csvLine(['at', 'run_id', 'status', 'fired', 'error_code', ...fields, 'other_fields'])
  for await (const batch of batches) yield batch.map((stored) => lineOf(stored, fields)).join('')
}

function lineOf(stored: StoredHistory, fields: readonly string[]): string {
  const values = valuesOf(stored.values)
  const others = Object.entries(values).filter(([name]) => !fields.includes(name))
  return csvLine([
    endedAt(stored),
    stored.id,
    stored.status,
    stored.fired === null ? null : String(stored.fired),
    stored.error_code,
    ...fields.map((name) => cellOf(values[name])),
    others.length === 0 ? null : JSON.stringify(Object.fromEntries(others)),
  ])
}

const valuesOf = (text: string | null): Values => (text === null ? {} : (JSON.parse(text) as Values))

/** Returns a value as a cell: texts and numbers as they are, all else as JSON. */
function cellOf(value: Values[string] | undefined): string | number | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
}
