import { randomUUID } from 'node:crypto'
import { specChange } from '../../../monitors/declared/spec-change.ts'
import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { monitorSpec, type MonitorRow, PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { insertMonitors } from '../../../store/monitors/monitor-create.ts'
import { lockMonitor, saveMonitor } from '../../../store/monitors/monitor-edit.ts'
import { SPEC } from '../../support/api/monitor-spec.ts'
import type { QueueDatabase } from '../../support/database/queue-database.ts'

/** Creates a monitor as the API does. */
export function create(database: QueueDatabase, teamId: string, more: Partial<MonitorSpec> = {}): Promise<MonitorRow> {
  const spec = { ...SPEC, ...more }
  return database.store.transaction(async (tx) => {
    const [made] = await insertMonitors(tx, database.secrets, PAGE_TABLE, [{ teamId, userId: randomUUID(), spec }])
    if (!made) throw new Error('the team has ended')
    return made
  })
}

/** Edits it as the API does. */
export function edit(
  database: QueueDatabase,
  { team_id, id }: MonitorRow,
  patch: Partial<MonitorSpec>,
): Promise<MonitorRow> {
  return database.store.transaction(async (tx) => {
    const stored = await lockMonitor(tx, team_id, id, PAGE_TABLE)
    if (!stored) throw new Error('there is no such monitor')
    const before = monitorSpec(stored, database.secrets)
    const spec = { ...before, ...patch }
    const saved = await saveMonitor(tx, database.secrets, PAGE_TABLE, { stored, spec, ...specChange(before, spec) })
    if (!saved) throw new Error('the team has no room for it')
    return saved
  })
}
