import { Monitor, MonitorCreate, type MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { type AuditEntry, recordAudit } from '../../../store/accounts/audit.ts'
import { insertMonitor } from '../../../store/monitors/monitor-create.ts'
import { toMonitor } from '../../../store/monitors/monitor-record.ts'
import { type Call, created, route } from '../../http/route.ts'
import { monitorIssues } from './monitor-issues.ts'
import { refuseDeliveriesOverCap } from './refuse-configuration.ts'

export const createMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors',
  summary: 'Create a monitor',
  description: 'Its first run is at once, and is a silent baseline.',
  tag: 'Monitors',
  policy: 'monitors.write',
  body: MonitorCreate,
  defaults: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 201: { description: 'The monitor.', schema: Monitor } },
  // The frame has filled in every default: the body is whole.
  handle: async (call) => created(await createMonitor(call, call.body as MonitorSpec)),
})

/**
 * Stores a checked monitor within the limits of the caller's plan, with its line in the audit log, and answers it as
 * the API does.
 */
export async function createMonitor(
  { principal, actor, services }: Pick<Call<unknown, unknown, unknown>, 'principal' | 'actor' | 'services'>,
  spec: MonitorSpec,
  metadata: AuditEntry['metadata'] = {},
): Promise<Monitor> {
  const { store, secrets } = services
  const { teamId, userId } = principal
  const stored = await store.transaction(async (tx) => {
    await refuseDeliveriesOverCap(tx, teamId, spec)
    const inserted = await insertMonitor(tx, secrets, { teamId, userId, spec })
    const { id, name } = inserted
    await recordAudit(tx, { teamId, actor, action: 'monitor.created', target: { id, label: name }, metadata })
    return inserted
  })
  services.poke()
  return toMonitor(stored, secrets)
}
