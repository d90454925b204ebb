import { diffWordsWithSpace } from 'diff'
import { useMemo } from 'react'
import type { Part } from './difference-lines.ts'
import { Parts } from './parts-of-line.tsx'

interface SnippetProps {
  readonly before: string
  readonly after: string
}

/** A description that changed, by words. The API keeps it short, so that it is compared here. */
export function Snippet({ before, after }: SnippetProps) {
  const parts = useMemo(
    () =>
      diffWordsWithSpace(before, after).map(({ added, removed, value }): Part => ({
        kind: added ? 'added' : removed ? 'removed' : 'same',
        text: value,
      })),
    [before, after],
  )
  return <Parts parts={parts} />
}
