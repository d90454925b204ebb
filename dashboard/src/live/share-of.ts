/** Returns what one stream watches for several tabs: each has its first ids before any tab has more. */
export function shareOf(tabs: readonly (readonly string[])[], most: number): readonly string[] {
  const ids = new Set<string>()
  const longest = Math.max(0, ...tabs.map(({ length }) => length))
  for (let nth = 0; nth < longest; nth += 1)
    for (const { [nth]: id } of tabs) if (id !== undefined && ids.size < most) ids.add(id)
  return [...ids]
}
