import { VALUE_LIMITS } from '../../schema/monitor/value-limits.ts'

/**
 * All limits of extraction (docs/extraction.md shows the same table). They apply to untrusted input: pages, and rules
 * that users write. A page over a limit fails its run with a reason. A result over a limit is cut, visibly and with a
 * hash of the whole.
 */
export const EXTRACT_LIMITS = {
  /** Elements that are open at the same time. Browsers stop nesting at 512 as well; parse5 takes 65 s for 100,000. */
  depth: 512,
  /** parse5 compares each attribute with all others of its tag: 50,000 take 7 s. */
  attributesPerTag: 1_000,
  /** 200,000 tags parse in 0.6 s and fit into the heap of a thread. */
  tags: 200_000,
  /** Deeper JSON exhausts the stack of recursive code; the deepest real response seen has 14 levels. */
  jsonDepth: 200,
  jsonValues: 200_000,
  ...VALUE_LIMITS,
  /**
   * Bytes (UTF-8) of a list before its treatments, and characters of a value behind one that makes texts longer. What a
   * run keeps is cut after them.
   */
  treatedBytes: 16 * 1024 * 1024,
  /** Bytes (UTF-8) of the readable text of a whole page that are kept, to show what changed. */
  pageTextBytes: 256 * 1024,
  /** Characters of one selector, expression or pattern. */
  ruleLength: 1_000,
  /** Parentheses and brackets that are open at the same time in a rule: the engines recurse for each. */
  ruleNesting: 50,
  /** Selectors between commas. */
  selectorList: 50,
  /** Characters of a page that the model receives. */
  promptCharacters: 50_000,
  /** Wall-clock time of one rule, and of all rules of a page, in milliseconds. */
  ruleMs: 1_000,
  pageMs: 5_000,
  /** Heap of a thread, in MB: a page of 200,000 tags fits, one of 625,000 does not. */
  heapMb: 256,
} as const
