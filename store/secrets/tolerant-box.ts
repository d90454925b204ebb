import { type SealedPlace, type SecretBox, UnreadableSecretError } from './secret-box.ts'

/**
 * As the box, but null stands for what does not open, and `told` hears of it: one row must not keep a whole list from
 * its reader.
 */
export function tolerantBox(
  box: SecretBox,
  told: (error: UnreadableSecretError, place: SealedPlace) => void,
): SecretBox {
  return {
    seal: (place, value) => box.seal(place, value),
    open(place, sealed) {
      try {
        return box.open(place, sealed)
      } catch (error) {
        if (!(error instanceof UnreadableSecretError)) throw error
        told(error, place)
        return null
      }
    },
  }
}
