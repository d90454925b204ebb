/**
 * One error in a user's input: an item of `error.details`, a line of the start-up report, a reason of a condition.
 * `path` is written as in Kubernetes: `deliveries[0].url`, `extract_config.fields.price`,
 * `diff_predicate.conditions[2].field`. The empty string is the complete value. A key that is not an identifier is in
 * brackets: `request_headers["x-a"]`. The first key is written without brackets: `x-a`.
 */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** Returns a path that is extended by keys and indexes: `joinPath('deliveries', 0, 'url')` is `deliveries[0].url`. */
export function joinPath(path: string, ...parts: readonly (string | number)[]): string {
  let joined = path
  for (const part of parts) {
    if (typeof part === 'number') joined += `[${part}]`
    else if (joined === '' && part !== '') joined = part
    else if (!/^[A-Za-z_$][\w$]*$/.test(part)) joined += `[${JSON.stringify(part)}]`
    else joined += `.${part}`
  }
  return joined
}

/** Longest key for which a similar one is looked up. */
const LONGEST_GUESS = 40

/**
 * Returns the issue of a key that its object does not allow. It names the allowed key that was probably meant. The work
 * is bounded, whatever the key's length.
 */
export function unknownKey(path: string, key: string, allowed: readonly string[]): Issue {
  const meant = closestKey(key, allowed)
  return { path: joinPath(path, key), message: `is not a known key${didYouMean(meant)}` }
}

export const didYouMean = (meant: string | null) => (meant === null ? '' : ` (did you mean ${JSON.stringify(meant)}?)`)

/**
 * Returns the allowed key with the fewest differences from this one, or null when each differs in more than a third of
 * its letters. Case, `_` and `-` do not count, and a key that is one word of an allowed one is close to it.
 */
export function closestKey(key: string, allowed: readonly string[]): string | null {
  if (key.length > LONGEST_GUESS) return null
  const given = lettersOf(key)
  let closest: string | null = null
  let least = Math.max(1, Math.floor(given.length / 3)) + 1
  for (const candidate of given === '' ? [] : allowed) {
    const letters = lettersOf(candidate)
    if (Math.abs(letters.length - given.length) >= least) continue
    const differences = editDistance(given, letters)
    // A name of one or two letters is close to everything.
    if (differences >= least || differences >= letters.length) continue
    least = differences
    closest = candidate
  }
  const around = allowed.filter((candidate) => candidate.split('_').includes(key.toLowerCase()))
  return closest ?? (around.length === 1 ? (around[0] ?? null) : null)
}

const lettersOf = (key: string) => key.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Returns how many letters have to be inserted, deleted, replaced or swapped with the next one. */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1]
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1)
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const swapped = isSwap ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      now.push(Math.min(replaced, (last[column] ?? 0) + 1, (now[column - 1] ?? 0) + 1, swapped))
    }
    before = last
    last = now
  }
  return last[other.length] ?? 0
}

/** The greatest number of issues that are reported at once. */
export const MAX_ISSUES = 100

/**
 * Returns at most `MAX_ISSUES` of the issues, in their order. Where there are more, every object has its first ones
 * among them, so that one bad item of a list cannot hide the others.
 */
export function firstIssues(issues: readonly Issue[]): readonly Issue[] {
  if (issues.length <= MAX_ISSUES) return issues
  const counts = new Map<string, number>()
  const ranks = issues.map(({ path }) => {
    const object = path.replace(/(?:\.[^.[\]]*|\[[^[\]]*\])$/, '')
    const rank = counts.get(object) ?? 0
    counts.set(object, rank + 1)
    return rank
  })
  const order = issues.map((_, index) => index).sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || a - b)
  const shown = order.slice(0, MAX_ISSUES).sort((a, b) => a - b)
  return shown.flatMap((index) => issues[index] ?? [])
}
