/** Whether the element that stood somewhere before had the focus, for the one that follows it. */
export interface FocusKeeper {
  /** Notes it when the element goes. */
  leave(hadFocus: boolean): void
  /** Returns it once. */
  take(): boolean
}

export function createFocusKeeper(): FocusKeeper {
  let had = false
  return {
    leave(hadFocus) {
      had = hadFocus
    },
    take() {
      const taken = had
      had = false
      return taken
    },
  }
}
