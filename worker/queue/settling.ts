import { byKind } from '../../core/by-kind.ts'
import type { SettlingParts, Settling, WorkKind } from '../kinds/work-kind.ts'

/** Returns the trusted side of checks that ended, each as its kind says. All sources of checks use it. */
export function createSettling(kinds: readonly WorkKind[], parts: SettlingParts): Settling {
  const settlings = kinds.map((kind) => ({ kind: kind.kind, settling: kind.settling(parts) }))
  return {
    settle: (finished, context, signal) =>
      byKind(settlings, finished.task.kind).settling.settle(finished, context, signal),
  }
}
