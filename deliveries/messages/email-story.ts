import type { Change, Story } from './story.ts'

/** What both bodies of a mail are written from. */
export interface EmailStory extends Omit<Story, 'changes'> {
  readonly changes: readonly Change[]
  /** How many more changed, in words; null when all are shown. */
  readonly others: string | null
}
