/** Returns what a table of kinds of monitor has of the kind that the store calls so. */
export function byKind<Kind extends { readonly kind: string }>(kinds: readonly Kind[], name: string): Kind {
  const found = kinds.find(({ kind }) => kind === name)
  if (!found) throw new Error(`there is no kind of monitor ${name}`)
  return found
}
