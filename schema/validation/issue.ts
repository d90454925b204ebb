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
