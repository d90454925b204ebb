/**
 * Every limit of extraction in one place (docs/extraction.md shows the same table). They hold for what strangers send:
 * pages, and rules that people write. A page over a limit fails its run with a reason; a result over one is cut,
 * visibly and with a hash of the whole.
 */
export const EXTRACT_LIMITS = {
  /** Open elements at once. Browsers stop nesting at 512 as well; parse5 takes 65 s for 100,000. */
  depth: 512,
  /** parse5 compares each attribute with all others of its tag: 50,000 take 7 s. */
  attributesPerTag: 1_000,
  /** 200,000 tags parse in 0.6 s and fit into the heap of a thread. */
  tags: 200_000,
  /** Deeper JSON exhausts the stack of whoever walks it; the deepest real answer seen has 14. */
  jsonDepth: 200,
  jsonValues: 200_000,
  /** Items of one list that a field keeps. */
  items: 1_000,
  /** Bytes (UTF-8) of one string. */
  itemBytes: 64 * 1024,
  /** Bytes (UTF-8 of the JSON) of all fields of a run. */
  resultBytes: 256 * 1024,
  /** Characters of one selector, expression or pattern. */
  ruleLength: 1_000,
  /** Parentheses and brackets open at once in a rule: the engines recurse for each. */
  ruleNesting: 50,
  /** Selectors between commas. */
  selectorList: 50,
  /** Characters of a page that the model is given. */
  promptCharacters: 50_000,
  /** Wall-clock time of one rule, and of all rules of a page, in milliseconds. */
  ruleMs: 1_000,
  pageMs: 5_000,
  /** Heap of a thread, in MB: a page of 200,000 tags fits, one of 625,000 does not. */
  heapMb: 256,
} as const
