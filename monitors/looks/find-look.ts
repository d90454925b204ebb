import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { Store } from '../../store/db/client.ts'
import { isLookCurrent } from '../../store/looks/looks.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { OpenedLook, OpenedLooks } from './opened-looks.ts'

/** There is no such look of the team, or no more. */
export interface NoLook {
  readonly kind: 'no_look'
}

/** This process reads nothing. */
export interface NoExtractor {
  readonly kind: 'no_extractor'
}

/** What reading a look again needs. */
export interface LookPorts {
  readonly store: Store
  readonly secrets: SecretBox
  readonly openedLooks: OpenedLooks
  /** Undefined: this process reads nothing. */
  readonly extractor: Extractor | undefined
  readonly signal: AbortSignal
}

interface FoundLook {
  readonly kind: 'found'
  readonly look: OpenedLook
  readonly extractor: Extractor
}

/** Returns a look of the team, opened, and what reads its documents. */
export async function findLook(
  { store, secrets, openedLooks, extractor }: Omit<LookPorts, 'signal'>,
  { teamId, id }: { readonly teamId: string; readonly id: string },
): Promise<FoundLook | NoLook | NoExtractor> {
  if (!extractor) return { kind: (await isLookCurrent(store, { teamId, id })) ? 'no_extractor' : 'no_look' }
  const look = await openedLooks.find({ store, secrets }, { teamId, id })
  return look ? { kind: 'found', look, extractor } : { kind: 'no_look' }
}
