import { type SealedPlace, type SecretBox, UnreadableSecretError } from './secret-box.ts'

/**
 * Returns a box that gives null for a value that does not open, and calls `onUnreadable` for it. One broken row must
 * not make a whole list unreadable.
 */
export function tolerantBox(
  box: SecretBox,
  onUnreadable: (error: UnreadableSecretError, place: SealedPlace) => void,
): SecretBox {
  return {
    seal: (place, value) => box.seal(place, value),
    open(place, sealed) {
      try {
        return box.open(place, sealed)
      } catch (error) {
        if (!(error instanceof UnreadableSecretError)) throw error
        onUnreadable(error, place)
        return null
      }
    },
  }
}
