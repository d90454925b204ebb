import { unsentNames } from '../../egress/unsent-headers.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import type { SpecKind } from '../kinds/spec-kind.ts'
import { bodyRemarks } from './body-remarks.ts'

/** Returns what a configuration is warned of that needs neither a store nor a server to be known. */
export function declaredWarnings(kind: SpecKind, spec: EverySpec): readonly Issue[] {
  const names = unsentNames(spec.request_headers ?? {}).map((name) => JSON.stringify(name))
  const message = `names headers that belong to a connection and are never sent: ${names.join(', ')}`
  const ofHeaders = names.length === 0 ? [] : [{ path: 'request_headers', message }]
  return [...ofHeaders, ...bodyRemarks(spec.deliveries ?? []), ...kind.remarks(spec)]
}
