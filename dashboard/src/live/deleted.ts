const deleted = new Set<string>()

/** Notes that a monitor was deleted. A list shows its row at its place until it is sorted again. */
export const noteDeleted = (id: string): void => void deleted.add(id)

/** Returns whether a monitor was deleted while the page was open. */
export const wasDeleted = (id: string): boolean => deleted.has(id)
