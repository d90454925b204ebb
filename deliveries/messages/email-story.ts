import type { Change } from './change.ts'
import type { Story } from './story.ts'

/** The content that both bodies of a mail are written from. */
export interface EmailStory extends Pick<Story, 'name' | 'headline' | 'notes' | 'lines' | 'page'> {
  readonly changes: readonly Change[]
  /** What the user wrote, written for both bodies. Null: our own words. */
  readonly own: { readonly text: string; readonly html: string } | null
  /** A phrase that says how many more fields changed; null when all are shown. */
  readonly others: string | null
  /** What the reader may do: a button in HTML, a line with the address in text. Null: nothing. */
  readonly action: { readonly button: string; readonly line: string; readonly url: string } | null
  /** Who sends it, and why the reader gets it. */
  readonly footer: string
}
