/**
 * The empty list asks for an address, and this screen looks at it at once. It comes by the history of the tab and never
 * by a link: a look costs a run, and nobody else may cause one.
 */
interface Asked {
  readonly address: string
}

export const askFor = (address: string): Asked => ({ address })

/** Returns the address that was asked for. A reload does not ask again. */
export function takeAskedAddress(): string | null {
  const { address, ...rest } = (history.state ?? {}) as Partial<Asked>
  if (typeof address !== 'string' || address === '') return null
  history.replaceState(rest, '')
  return address
}
