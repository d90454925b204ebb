import { MESSAGE_NAMES } from '../../api/delivery-choices.ts'
import type { MessageName } from '../../api/service.ts'

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u

interface Known {
  readonly kind: 'page' | 'serp'
  readonly fields?: readonly string[]
  readonly labels: readonly string[]
}

/** Returns the names that a message about these fields and labels can have, as they are written between two braces. */
export function messageNames({ kind, fields = [], labels }: Known): readonly MessageName[] {
  return MESSAGE_NAMES.filter(({ of = kind }) => of === kind).flatMap(({ name, means }) => {
    if (!name.includes('*')) return [{ name, means }]
    const known = name.startsWith('monitor.labels.') ? labels : fields
    return known.map((one) => ({ name: named(name, one), means }))
  })
}

/** Puts a name into a pattern: in brackets unless it is an identifier. */
const named = (pattern: string, name: string): string =>
  IDENTIFIER.test(name) ? pattern.replace('*', () => name) : pattern.replace('.*', () => `[${JSON.stringify(name)}]`)
