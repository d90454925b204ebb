import Type from 'typebox'
import { csvLine } from '../../../core/csv.ts'
import { AuditEvent, AuditFilter, AuditPage, AuditQuery, MAX_EXPORTED } from '../../../schema/account/audit.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { type AuditWanted, countAudit, listAudit, readAudit, recordedActions } from '../../../store/accounts/audit.ts'
import type { Store } from '../../../store/db/client.ts'
import { begun } from '../../http/begun.ts'
import { paginationOf, windowOf } from '../../http/page-of-rows.ts'
import { ok, okParts, type Route, route } from '../../http/route.ts'

const tag = 'Team'

const listAuditRoute = route({
  method: 'GET',
  path: '/v1/team/audit',
  summary: 'Read the audit log, newest first',
  description: "Only events inside the plan's retention window.",
  tag,
  policy: 'audit.read',
  query: AuditQuery,
  answers: { 200: { description: 'A page of events.', schema: AuditPage } },
  async handle({ query, principal: { teamId }, services: { store } }) {
    const { page, limit, ...filter } = query
    const paged = { page: page ?? 1, limit: limit ?? 50 }
    const wanted = { teamId, filter }
    const data = await listAudit(store, { ...wanted, page: windowOf(paged) })
    return ok({
      data,
      pagination: await paginationOf(paged, data.length, () => countAudit(store, wanted)),
      actions: await recordedActions(store, teamId),
    })
  },
})

/** The columns of an export, in their order. */
const COLUMNS = {
  time: ({ created_at }) => created_at,
  actor: ({ actor }) => actor.label,
  actor_type: ({ actor }) => actor.type,
  action: ({ action }) => action,
  target_type: ({ target_type }) => target_type,
  target_id: ({ target_id }) => target_id,
  target_label: ({ target_label }) => target_label,
  ip_address: ({ ip_address }) => ip_address,
  metadata: ({ metadata }) => JSON.stringify(metadata),
} satisfies Readonly<Record<string, (event: AuditEvent) => string | null>>

const exportAuditRoute = route({
  method: 'GET',
  path: '/v1/team/audit/export',
  summary: 'Export the audit log as CSV',
  description:
    `The newest ${MAX_EXPORTED.toLocaleString('en')} events at most. Every cell is quoted, and a cell that a ` +
    'spreadsheet could take for a formula has an apostrophe in front.',
  tag,
  policy: 'audit.export',
  work: 'export',
  query: AuditFilter,
  answers: { 200: { description: 'The events, newest first.', only: 'text/csv' } },
  async handle({ query: filter, principal: { teamId }, services: { store } }) {
    const content = await begun(csvOf(store, { teamId, filter }))
    const headers = { 'content-disposition': 'attachment; filename="audit.csv"' }
    return { status: 200, stream: { type: 'text/csv', content }, headers }
  },
})

const exportJsonRoute = route({
  method: 'GET',
  path: '/v1/team/audit/export/json',
  summary: 'Export the audit log as JSON',
  description: `The newest ${MAX_EXPORTED.toLocaleString('en')} events at most, as the list has them.`,
  tag,
  policy: 'audit.export',
  work: 'export',
  query: AuditFilter,
  answers: { 200: { description: 'The events, newest first.', schema: Closed({ data: Type.Array(AuditEvent) }) } },
  streams: true,
  beyond: true,
  async handle({ query: filter, principal: { teamId }, services: { store } }) {
    return okParts(await begun(jsonOf(store, { teamId, filter })))
  },
})

async function* jsonOf(store: Store, wanted: AuditWanted): AsyncGenerator<string, void, void> {
  let lead = '{"data":['
  for await (const batch of readAudit(store, wanted, MAX_EXPORTED)) {
    const events = batch.map((event) => JSON.stringify(event)).join(',\n')
    // The last batch may be empty.
    yield events === '' ? '' : lead + events
    if (events !== '') lead = ',\n'
  }
  yield lead === ',\n' ? ']}\n' : `${lead}]}\n`
}

async function* csvOf(store: Store, wanted: AuditWanted): AsyncGenerator<string, void, void> {
  const columns = Object.values(COLUMNS)
  const lines = (events: readonly AuditEvent[]) =>
    events.map((event) => csvLine(columns.map((cell) => cell(event)))).join('')
  let head = csvLine(Object.keys(COLUMNS))
  for await (const batch of readAudit(store, wanted, MAX_EXPORTED)) {
    yield head + lines(batch)
    head = ''
  }
}

export const auditRoutes: readonly Route[] = [listAuditRoute, exportAuditRoute, exportJsonRoute]
