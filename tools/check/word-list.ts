/** A word or phrase that is not used here, and what to write instead. */
interface AvoidedWord {
  readonly pattern: RegExp
  readonly say: string
}

/**
 * The words of the field stand in code, comments and pages, so that an engineer finds them by searching. This list
 * holds the words that stood in their place once. A new entry is welcome when a private word comes up.
 */
export const AVOIDED: readonly AvoidedWord[] = [
  {
    pattern: /\bDESIGN(?:\.md| §)|\b(?:spec|security|review|kubernetes|serp)\.md\b|\(spec[,;]/,
    say: 'give the reason',
  },
  { pattern: /\bwhat came of\b/i, say: 'name the result' },
  { pattern: /\bfaults? of ours\b/i, say: 'internal error' },
  { pattern: /\bthe house\b/i, say: 'the repository, the process' },
  { pattern: /\blanes?\b|[A-Za-z]*Lane[A-Z]|\bLane\b|_LANE_/, say: 'check source, runner API' },
  { pattern: /\bpok(?:e|es|ed)\b/, say: 'wake' },
  { pattern: /\b(?:the walls|parse wall)\b/i, say: 'egress guard, URL check' },
  { pattern: /\b(?:Tenancy|Sitter|BrowserStock)\b/, say: 'browser lease, captured page, browser pool' },
  { pattern: /\b(?:upkeep|crew|lawful)\b/i, say: 'maintenance, thread pool, valid' },
  {
    pattern: /\b(?:[tT]old[A-Z]\w*|ToTell|[a-z]\w*Told|tell[A-Z]\w*|\w*_TOLD\w*|is_told)\b|\b(?:type|interface) Told\b/,
    say: 'report, notify, log',
  },
  { pattern: /\b(?:believed|(?:un)?believable)\b/i, say: 'trusted, checked, valid' },
  { pattern: /\b(?:ArmTable|ARMS)\b/, say: 'variants' },
  { pattern: /^\s*(?:\/\*)?\*+ Answers\b/, say: 'Returns' },
  // Titles of tests.
  { pattern: /^\s*(?:test|describe)\b[^'"`]*['"`].*\b(?:told|held)\b/, say: 'reported, refused, claimed, reserved' },
  { pattern: /^\s*(?:test|describe)\b[^'"`]*['"`].*\b(?:places?|worlds?)\b/, say: 'slot, position; what it is' },
]

/**
 * Grammar that a reader has to read twice: a noun phrase in place of a negated verb, and a clause as the subject. Pages
 * and comments of the product are written without it: subject, verb, object.
 */
export const AVOIDED_GRAMMAR: readonly AvoidedWord[] = [
  { pattern: /(?<!\bthere )\b(?:is|are|was|were) no\b(?! (?:longer|one)\b)/i, say: 'is not, does not, has no' },
  { pattern: /\bwhoever\b/i, say: 'a person who, everybody who' },
  { pattern: /\ball the same\b/i, say: 'still' },
  { pattern: /\bof (?:its|their) own\b/i, say: 'its own, another' },
  { pattern: /\b(?:be|is|are|was|were) there\b(?! (?:an?|any)\b)/i, say: 'exists, stays' },
  { pattern: /\bwhat\b[^.]*\bcame? to\b/i, say: 'name the result' },
  { pattern: /\bmeanwhile\b/i, say: 'name the time' },
]

/** The start of a sentence that pages avoid: a clause as the subject. Comments of some folders avoid it too. */
export const AVOIDED_AS_START: readonly AvoidedWord[] = [
  {
    pattern: /(?:^(?:[-*] )?|\. |\*\* )(?:What|Whether) /,
    say: 'begin with the subject; of a value, give its shape, unit or rule',
  },
]
