import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiFault, ask, type Issue } from '../../api/client.ts'
import type { ExtractConfig, Look, LookExtracted } from '../../api/types.ts'
import { type StoredValues, storedValues } from '../draft/values-of.ts'
import type { Looking } from '../page/use-look.ts'
import { useSettled } from './use-settled.ts'

/** How long a person pauses in a rule. Boxes are shown within 150 ms of a letter, and so is what was pressed. */
const PAUSE_MS = 60

/** What the rules find in the documents of the look. */
export interface Tried extends StoredValues {
  /** There are values. */
  readonly isLooked: boolean
  /** Rules were changed since. */
  readonly isOld: boolean
  /** They are being tried. */
  readonly isPending: boolean
  /** Why the rules were not tried. */
  readonly error: unknown
  /** What is wrong with them. */
  readonly ofRules: readonly Issue[]
}

/** Tries the rules on the look whenever they change. An answer for earlier rules is never shown for later ones. */
export function useTried({ hasEnded, noteEnd }: Looking, look: Look, config: ExtractConfig | null): Tried {
  const settled = useSettled(config, PAUSE_MS, true)
  const canBeTried = (rules: ExtractConfig | null) =>
    look.id !== '' && !hasEnded && rules !== null && rules.method !== 'prompt'
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['look', look.id, settled],
    queryFn: ({ signal }) =>
      ask<LookExtracted>(`/v1/looks/${look.id}/extract`, { method: 'POST', body: { extract_config: settled }, signal }),
    enabled: canBeTried(settled),
    placeholderData: (before, query) => (query?.queryKey[1] === look.id ? before : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  useEffect(() => {
    if (error !== null) noteEnd(error)
    // oxlint-disable-next-line react/exhaustive-deps -- noteEnd is about the look of the same moment.
  }, [error])
  const isOld = isPlaceholderData || JSON.stringify(settled) !== JSON.stringify(config)
  const fault = isOld ? null : error
  const stored = data && config ? storedValues(look, config, data) : NOTHING
  return {
    ...stored,
    isLooked: stored !== NOTHING && fault === null,
    failure: fault === null ? stored.failure : null,
    isOld,
    isPending: isOld && canBeTried(config),
    error: fault,
    ofRules: fault instanceof ApiFault ? fault.issues : [],
  }
}

const NOTHING: StoredValues = { fields: {}, matches: {}, needsBrowser: false, failure: null }
