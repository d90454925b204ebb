import type { NoticeKind } from '../../../schema/monitor/delivery-config.ts'
import { conditionOf, literal, type Monitors, runStatement, type Statements } from './stored-rows.ts'

/** What a test changes of stored monitors without their use cases. Sealed values are bytes. */
export interface MonitorChanges {
  readonly name?: string
  readonly url?: string
  readonly fetchMode?: 'auto' | 'browser' | 'static'
  readonly scheduleIntervalSeconds?: number
  /** Billing has locked them. */
  readonly locked?: boolean
  readonly paused?: boolean
  readonly suspended?: boolean
  readonly managedBy?: 'api' | 'file' | 'kubernetes'
  readonly notifyOn?: readonly NoticeKind[]
  readonly visualConfig?: object
  readonly extractConfig?: object
  /** Keys of a later version. */
  readonly more?: object
  readonly diffPredicate?: object
  readonly locationCode?: string
  readonly deliveries?: Buffer
  readonly requestHeaders?: Buffer
  readonly deletedAt?: string
}

export async function changeMonitors(on: Statements, monitors: Monitors, changes: MonitorChanges): Promise<void> {
  const assignments = Object.entries(changes).map(([key, value]) => `${columnOf(key)} = ${literal(value)}`)
  await runStatement(on, `update monitors set ${assignments.join()} where ${conditionOf(monitors)}`)
}

const columnOf = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
