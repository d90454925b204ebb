import type { Condition, CustomResource } from './custom-resource.ts'

interface ConditionCount {
  readonly labels: {
    readonly condition: string
    readonly status: string
    readonly reason: string
    readonly resource_namespace: string
  }
  readonly count: number
}

/** A resource whose status nobody has written yet. */
const UNHANDLED: Pick<Condition, 'type' | 'status' | 'reason'> = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'NotHandled',
}

/**
 * Returns how many resources have each condition, by status, reason and namespace. It has no names: its size follows
 * the namespaces, and not the resources.
 */
export function conditionCounts(resources: Iterable<CustomResource>): readonly ConditionCount[] {
  const counts = new Map<string, number>()
  for (const { metadata, status } of resources)
    for (const { type, status: is, reason } of status?.conditions ?? [UNHANDLED]) {
      // None of the four has a space in it.
      const key = `${type} ${is} ${reason} ${metadata.namespace ?? ''}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  return [...counts].map(([key, count]) => {
    const [condition = '', status = '', reason = '', resource_namespace = ''] = key.split(' ')
    return { labels: { condition, status, reason, resource_namespace }, count }
  })
}
