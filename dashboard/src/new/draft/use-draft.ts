import { useRef, useState } from 'react'
import type { Issue } from '../../api/client.ts'
import type { Look } from '../../api/types.ts'
import { withPreset } from './draft-body.ts'
import { type Draft, EMPTY, isUntouched } from './draft.ts'

/** What is filled in, and what the API says is wrong with it. */
export interface Form {
  readonly draft: Draft
  /** They are about what was sent last: a change of anything takes them away. */
  readonly issues: readonly Issue[]
  change(change: (draft: Draft) => Draft): void
  /** Takes what a look found: its best guess where nothing was chosen yet, or where the page is another one. */
  adopt(look: Look): void
  refuse(issues: readonly Issue[]): void
}

/** Holds the draft of one monitor. `first`: what it begins with. */
export function useDraft(first: () => Draft = () => EMPTY): Form {
  const [draft, setDraft] = useState(first)
  const [issues, refuse] = useState<readonly Issue[]>([])
  const lookedAt = useRef<string | null>(null)
  return {
    draft,
    issues,
    change(change) {
      refuse([])
      setDraft(change)
    },
    adopt({ url, guesses }) {
      const isOther = lookedAt.current !== null && lookedAt.current !== url
      lookedAt.current = url
      // A feed that the page names has another address, so nothing of it is shown yet.
      const best = guesses.find((guess) => guess.url === null)
      if (best) setDraft((before) => (isOther || isUntouched(before) ? withPreset(before, best) : before))
    },
    refuse,
  }
}
