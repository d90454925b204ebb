import type { Change, Story } from './story.ts'

/** The content that both bodies of a mail are written from. */
export interface EmailStory extends Omit<Story, 'changes'> {
  readonly changes: readonly Change[]
  /** A phrase that says how many more fields changed; null when all are shown. */
  readonly others: string | null
}
