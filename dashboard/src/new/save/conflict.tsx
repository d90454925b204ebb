import type { DeliveryConfig } from '../../api/types.ts'
import { ConflictBox } from '../../parts/conflict-box.tsx'
import { summaryOf } from '../draft/destinations.ts'
import { type Differing, disputedKeys, type Versions } from '../draft/merged.ts'

interface ConflictProps<Spec> {
  /** What both edited, as `monitor`. */
  readonly what: string
  readonly versions: Versions<Spec>
  readonly differing: Differing<Spec>
  /** The keys of which the other's value is taken. */
  onChoose(theirs: readonly string[]): void
}

const CHARS = 600

/** Returns a value as a person compares it, without its secrets. */
function shown(key: string, value: unknown): string {
  if (key === 'deliveries')
    return (value as readonly DeliveryConfig[] | undefined)?.map(summaryOf).join('\n') ?? 'nothing'
  if (key === 'request_headers') return Object.keys(value ?? {}).join('\n')
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? 'nothing')
  return text.length > CHARS ? `${text.slice(0, CHARS)}…` : text
}

/** Somebody else saved a monitor or a search first. */
export function Conflict<Spec>({ what, versions, differing, onChoose }: ConflictProps<Spec>) {
  const { base, stored, mine } = versions
  return (
    <ConflictBox
      what={what}
      changed={differing(stored, base).map(wordsOf)}
      disputed={disputedKeys(versions, differing).map((key) => ({
        key,
        words: wordsOf(key),
        theirs: shown(key, stored[key]),
        mine: shown(key, mine[key]),
      }))}
      onChoose={onChoose}
    />
  )
}

const wordsOf = (key: string): string => key.replaceAll('_', ' ')
