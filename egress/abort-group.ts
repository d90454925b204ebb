/** An operation that ends when its signal aborts. */
export interface Abortable {
  abort(): void
}

const groups = new WeakMap<AbortSignal, Set<Abortable>>()

/**
 * Ties many short-lived operations to one long-lived signal with a single listener. Adding and removing a listener per
 * request costs several times what a Set does, and Node warns of a leak at the eleventh listener.
 */
export function joinSignal(signal: AbortSignal, member: Abortable): void {
  if (signal.aborted) {
    member.abort()
    return
  }
  groupOf(signal).add(member)
}

export function leaveSignal(signal: AbortSignal, member: Abortable): void {
  groups.get(signal)?.delete(member)
}

function groupOf(signal: AbortSignal): Set<Abortable> {
  const known = groups.get(signal)
  if (known !== undefined) return known
  const group = new Set<Abortable>()
  groups.set(signal, group)
  signal.addEventListener('abort', () => group.forEach((member) => member.abort()), { once: true })
  return group
}
