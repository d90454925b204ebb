/** Where a person was in a screen when they left it. */
interface LeftAt {
  /** The link that they opened. */
  readonly link: string | null
  /** The row of a list, from 0. */
  readonly row: number | null
}

/** Returns where a person left this entry of the history. The browser keeps it with the entry, also over a reload. */
export function leftAt(): LeftAt {
  const { link = null, row = null } = (history.state ?? {}) as Partial<LeftAt>
  return { link: typeof link === 'string' ? link : null, row: typeof row === 'number' ? row : null }
}

/** Notes where a person leaves this entry of the history. It has to be called before they go on. */
export function leaveAt(place: Partial<LeftAt>): void {
  history.replaceState({ ...leftAt(), ...place }, '')
}
