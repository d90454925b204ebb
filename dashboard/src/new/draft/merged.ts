/** The configuration of a monitor of one kind, as two people edit it. */
export interface Versions<Spec> {
  /** As both read it. */
  readonly base: Spec
  /** As somebody else stored it since. */
  readonly stored: Spec
  /** As it was to be stored here. */
  readonly mine: Spec
}

/** Returns the keys in which two configurations differ. */
export type Differing<Spec> = (one: Spec, other: Spec) => readonly (keyof Spec & string)[]

/** Returns the keys that both changed, to different values: a person has to choose. */
export function disputedKeys<Spec>(
  { base, stored, mine }: Versions<Spec>,
  differing: Differing<Spec>,
): readonly (keyof Spec & string)[] {
  const theirs = differing(stored, base)
  const ours = differing(mine, base)
  return differing(stored, mine).filter((key) => theirs.includes(key) && ours.includes(key))
}

interface Choice<Spec> extends Versions<Spec> {
  /** The disputed keys that stay as somebody else stored them. */
  readonly theirs: readonly string[]
}

/** Returns both changes in one: what only one of them changed, and of the rest what was chosen. */
export function merged<Spec extends object>(
  { base, stored, mine, theirs }: Choice<Spec>,
  differing: Differing<Spec>,
): Spec {
  const ours = differing(mine, base).filter((key) => !theirs.includes(key))
  return { ...stored, ...Object.fromEntries(ours.map((key) => [key, mine[key]])) }
}
