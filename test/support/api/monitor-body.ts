import { MonitorCreate } from '../../../schema/monitor/monitor.ts'
import { checkerOf, type Validated } from '../../../schema/validation/validate.ts'

/** The smallest body that makes a monitor. */
export const SMALLEST = {
  name: 'Lamp',
  url: 'https://example.com/lamp',
  schedule_interval_seconds: 60,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
}

export const validate = (change: object, options?: { defaults?: boolean }): Validated<unknown> =>
  checkerOf(MonitorCreate).validate({ ...SMALLEST, ...change }, options)

/** Where the faults are; empty when the body is in order. */
export function pathsOf(change: object): string[] {
  const result = validate(change)
  return result.ok ? [] : result.issues.map(({ path }) => path)
}

/** Each fault as `path: message`. */
export function faultsOf(change: object): string[] {
  const result = validate(change)
  return result.ok ? [] : result.issues.map(({ path, message }) => `${path}: ${message}`)
}
