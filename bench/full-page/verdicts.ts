/** What the ways to read a page have read of one answer, as hashes; null: it could not be read that way. */
export interface Readings {
  /** The response as it was sent. */
  readonly sent: string
  /** The readable text of the response as it was sent. */
  readonly text: string | null
  /** The readable text of the rendered page. */
  readonly rendered: string | null
  readonly hasScripts: boolean
}

/** The rules that are compared, by what an alert needs. */
const RULES = {
  'hash as sent (today)': ({ before, after }) => before.sent !== after.sent,
  'text as sent (today, with `ignore`)': ({ before, after }) => before.text !== after.text,
  'hash as sent, then rendered text': renderedThen,
  'the same, and text as sent without scripts': (pair) =>
    pair.after.hasScripts ? renderedThen(pair) : pair.before.text !== pair.after.text,
  'rendered text (today, `browser` and `ignore`)': ({ before, after }) => before.rendered !== after.rendered,
} as const satisfies Record<string, (pair: Pair) => boolean>

export type RuleName = keyof typeof RULES
export const RULE_NAMES = Object.keys(RULES) as readonly RuleName[]

/** Two answers, one after the other. */
interface Pair {
  readonly before: Readings
  readonly after: Readings
}

function renderedThen({ before, after }: Pair): boolean {
  return before.sent !== after.sent && before.rendered !== after.rendered
}

/** Returns the rules that send an alert for the second answer. */
export const alertsOf = (before: Readings, after: Readings): ReadonlySet<RuleName> =>
  new Set(RULE_NAMES.filter((name) => RULES[name]({ before, after })))
