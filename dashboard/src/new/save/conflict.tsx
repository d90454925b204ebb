import type { DeliveryConfig, MonitorCreate } from '../../api/types.ts'
import { ConflictBox } from '../../parts/conflict-box.tsx'
import { summaryOf } from '../draft/destinations.ts'
import { differingKeys } from '../draft/draft-body.ts'
import { disputedKeys } from '../draft/merged.ts'

interface ConflictProps {
  readonly base: MonitorCreate
  readonly stored: MonitorCreate
  readonly mine: MonitorCreate
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

/** Somebody else saved a monitor first. */
export function Conflict({ base, stored, mine, onChoose }: ConflictProps) {
  const disputed = disputedKeys({ base, stored, mine })
  return (
    <ConflictBox
      what="monitor"
      changed={differingKeys(stored, base).map(wordsOf)}
      disputed={disputed.map((key) => ({
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
