const ROOM = 190

/** Returns a name for a copy. */
export const copyName = (name: string): string => `${name.slice(0, ROOM)} (copy)`
