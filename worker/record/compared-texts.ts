import type { PageTexts } from '../../core/predicate/judged.ts'
import { PAGE_FIELD } from '../../core/predicate/page-lines.ts'
import type { Values } from '../../schema/shape/json.ts'
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
     * Where another layer read the page last, the text is not that of the values that this reading is compared with.
     */
    async comparedWith(values: Values | null): Promise<PageTexts> {
      const isOfBaseline = values?.[PAGE_FIELD] === (baseline.extracted as Values | null)?.[PAGE_FIELD]
      return { before: isOfBaseline ? await before() : null, after: after ?? null }
    },
  }
}
