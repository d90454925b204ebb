/**
 * One fault in something that a person wrote: an item of `error.details`, a line of the start-up report, a reason of a
 * condition. `path` names the place as Kubernetes does: `deliveries[0].url`, `extract_config.fields.price`,
 * `diff_predicate.conditions[2].field`; the empty string is the whole. A key that is not an identifier stands in
 * brackets: `request_headers["x-a"]`; the first one as it is: `x-a`.
 */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** `joinPath('deliveries', 0, 'url')` is `deliveries[0].url`: a path, and the keys and indexes that lead on from it. */
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
