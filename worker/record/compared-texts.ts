import type { PageTexts } from '../../core/predicate/judged.ts'
import type { Queryable } from '../../store/db/client.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import { findPageText } from '../../store/runs/page-texts.ts'

interface Texts {
  readonly store: Queryable
  readonly teamId: string
  /** The readable text of the reading. Undefined: no whole page is watched, or its text is not known. */
  readonly pageText: string | undefined
  readonly baseline: Baseline
}

/** Returns what finds the readable texts of a reading and of the baseline that it is compared with. */
export function createComparedTexts({ store, teamId, pageText: after, baseline }: Texts) {
  const { text_key: key } = baseline
  let stored: Promise<string | null> | undefined
  const before = () => (stored ??= key ? findPageText(store, teamId, key) : Promise.resolve(null))

  return {
    /** Null: one of them is not known. */
    async both(): Promise<{ readonly before: string; readonly after: string } | null> {
      const text = after === undefined ? null : await before()
      return text === null || after === undefined ? null : { before: text, after }
    },
    /**
     * The text before is the one that was read last, also where the values of this reading are compared with those of
     * another layer: a line that the page did not show last is new. A backtest has the same two texts.
     */
    async ofPage(): Promise<PageTexts> {
      return { before: await before(), after: after ?? null }
    },
  }
}
