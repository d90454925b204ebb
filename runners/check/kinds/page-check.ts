import { taskFromWire, taskToWire } from '../../client/task-wire.ts'
import { check } from '../check.ts'
import type { PageTask } from '../task.ts'
import type { CheckKind } from './check-kind.ts'

/** Checks of pages, APIs and feeds. */
export const PAGE_CHECK: CheckKind<PageTask, 'tasks'> = {
  kind: 'page',
  check,
  wire: { list: 'tasks', to: taskToWire, from: taskFromWire },
}
