/** Places, few; who comes later waits in line. */
export interface Slots {
  /** The function that gives the place back, or null when the signal ended the wait. */
  enter(signal: AbortSignal): Promise<(() => void) | null>
}

export function createSlots(count: number): Slots {
  let free = count
  const line: (() => void)[] = []

  function leave(): void {
    const next = line.shift()
    if (next) next()
    else free += 1
  }

  /** Each place is given back once, whatever its holder does. */
  function place(): () => void {
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      leave()
    }
  }

  return {
    enter(signal) {
      if (signal.aborted) return Promise.resolve(null)
      if (free > 0) {
        free -= 1
        return Promise.resolve(place())
      }
      return new Promise((resolve) => {
        const take = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(place())
        }
        const giveUp = (): void => {
          line.splice(line.indexOf(take), 1)
          resolve(null)
        }
        line.push(take)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}
