import { chatOf } from '../../store/deliveries/delivery-row.ts'

/** The most chats whose pause is remembered. The store knows the pace of one that is forgotten. */
const MAX_REMEMBERED = 10_000

/** Chats that get no message for a while. */
interface Pauses {
  isOpen(key: string): boolean
  /** Lets nothing to the chat of this key begin for this long, and does not shorten a longer wait. */
  close(key: string, ms: number): void
}

/** Pauses are kept for each chat, whichever team sends to it. A destination that is not a chat has none. */
export function createPauses(onRoom: () => void): Pauses {
  const untils = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>()
  const isPast = (at: number) => at <= performance.now()

  function open(address: string): void {
    clearTimeout(untils.get(address)?.timer)
    untils.delete(address)
  }

  return {
    isOpen(key) {
      const chat = chatOf(key)
      return chat === null || isPast(untils.get(chat.address)?.at ?? 0)
    },
    close(key, ms) {
      const chat = chatOf(key)
      const at = performance.now() + ms
      if (chat === null || at <= (untils.get(chat.address)?.at ?? 0)) return
      open(chat.address)
      const ended = () => {
        open(chat.address)
        onRoom()
      }
      untils.set(chat.address, { at, timer: setTimeout(ended, Math.ceil(ms) + 1).unref() })
      const oldest = untils.size > MAX_REMEMBERED ? untils.keys().next().value : undefined
      if (oldest !== undefined) open(oldest)
    },
  }
}
