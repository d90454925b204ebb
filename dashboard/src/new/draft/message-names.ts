import { MESSAGE_NAMES } from '../../api/delivery-choices.ts'

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u

/** A name that a message can have, as it is written between two braces. */
interface MessageName {
  readonly name: string
  readonly means: string
}

interface Known {
  readonly fields: readonly string[]
  readonly labels: readonly string[]
}

/** Returns the names that a message about these fields and labels can have. */
export function messageNames({ fields, labels }: Known): readonly MessageName[] {
  return MESSAGE_NAMES.flatMap(([name, means]) => {
    if (!name.includes('*')) return [{ name, means }]
    const known = name.startsWith('monitor.labels.') ? labels : fields
    return known.map((one) => ({ name: named(name, one), means }))
  })
}

/** Puts a name into a pattern: in brackets unless it is an identifier. */
const named = (pattern: string, name: string): string =>
  IDENTIFIER.test(name) ? pattern.replace('*', () => name) : pattern.replace('.*', () => `[${JSON.stringify(name)}]`)
