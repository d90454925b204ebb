/** A case's title: its JSON, cut. */
const brief = (value: unknown) => {
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 110)}… (${text.length} characters)` : text
}

/** Cases for `test.each`, each behind a title for `%s`. */
export const titled = <T>(cases: readonly T[]): [string, T][] => cases.map((one) => [brief(one), one])

/** As `titled`, of bodies with the paths that their refusal names. */
export const refusals = <T>(cases: readonly (readonly [T, readonly string[]])[]): [string, T, readonly string[]][] =>
  cases.map(([body, paths]) => [brief(body), body, paths])
