import { Thread, type Whose } from '../../concurrency/threads/thread.ts'
import type { TextChange } from '../../schema/run/delivery.ts'
import type { TextDiff } from '../../schema/run/run-diff.ts'
import type { TextPair } from './diff-texts.ts'

/** Compares texts of pages in a thread that can be terminated. */
export interface TextDiffer {
  /**
   * Returns the whole difference; null when it took too long or too much memory, when too many others wait, or when the
   * signal came. Teams take turns: `key` is the team's.
   */
  diff(pair: TextPair, whose: Whose): Promise<TextDiff | null>
  /** Returns what a message shows of the difference; null as above. */
  excerpt(pair: TextPair, whose: Whose): Promise<TextChange | null>
  close(): Promise<void>
}

/** The thread ends its search long before. This is for a text on which it does not get that far. */
const LIMIT_MS = 5_000
/** Each waiting pair is held in memory. */
const MAX_WAITING = 64
/** Of one team, so that its many texts leave room to those of others. */
const MAX_OF_TEAM = 16

/** Creates a differ. Its one thread starts when it is first needed. */
export function createTextDiffer({ timeoutMs = LIMIT_MS }: { timeoutMs?: number } = {}): TextDiffer {
  const options = {
    file: new URL('diff-texts.ts', import.meta.url),
    heapMb: 256,
    warmUp: { before: '', after: '' },
    total: MAX_WAITING,
    perKey: MAX_OF_TEAM,
  }
  const thread = new Thread<TextPair, TextDiff & TextChange>(options)

  async function inTurn(name: 'diffTexts' | 'excerptTexts', pair: TextPair, whose: Whose) {
    const done = await thread.do(pair, { ...whose, name, timeoutMs })
    return done.ok ? done.result : null
  }

  return {
    diff: (pair, whose) => inTurn('diffTexts', pair, whose),
    excerpt: (pair, whose) => inTurn('excerptTexts', pair, whose),
    close: () => thread.close(),
  }
}
