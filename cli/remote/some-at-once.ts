/** Requests that one command has under way at the same time. */
const AT_ONCE = 8

/** Returns what `act` returns of each item, in their order. Some are under way at the same time. */
export async function someAtOnce<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    done.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(act))))
  return done
}
