/**
 * The empty list asks for an address, and this screen looks at it at once. It comes by the history of the tab and never
 * by a link: a look costs a run, and nobody else may cause one.
 */
interface Asked {
  readonly address: string
}

export const askFor = (address: string): Asked => ({ address })

/** Returns the address that was asked for; null: none was. It changes nothing: a render may be begun more than once. */
export function askedAddress(): string | null {
  const { address } = (history.state ?? {}) as Partial<Asked>
  return typeof address === 'string' && address !== '' ? address : null
}

/** Notes that it was looked at, so that a reload does not ask again. */
export function forgetAskedAddress(): void {
  const { address: _, ...rest } = (history.state ?? {}) as Partial<Asked>
  history.replaceState(rest, '')
}
