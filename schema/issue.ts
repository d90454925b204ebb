/**
 * One fault in something that a person wrote: an item of `error.details`, a line of the start-up report, a reason of a condition.
 * `path` names the place as Kubernetes does: `deliveries[0].url`, `extract_config.fields.price`, `diff_predicate.conditions[2].field`;
 * the empty string is the whole. A key that is not an identifier stands in brackets: `request_headers["x-a"]`.
 */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** `joinPath('deliveries', 0, 'url')` is `deliveries[0].url`. */
export function joinPath(...parts: readonly (string | number)[]): string {
  let path = ''
  for (const part of parts) {
    if (typeof part === 'number') path += `[${part}]`
    else if (part === '') continue
    else if (path === '') path = part
    else path += /^[A-Za-z_$][\w$]*([.[].*)?$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`
  }
  return path
}
