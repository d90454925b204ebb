import { useEffect, useState } from 'react'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The ids of monitors that this tab shows: one list for each part of the screen. */
const shown = new Map<symbol, readonly string[]>()

/** Has the stream tell of the runs of these monitors, for as long as they are shown. Other texts are left out. */
export function useWatched(ids: readonly string[]): void {
  const [part] = useState(() => Symbol('part'))
  useEffect(
    () =>
      void shown.set(
        part,
        ids.filter((id) => UUID.test(id)),
      ),
  )
  useEffect(() => () => void shown.delete(part), [part])
}

/** Returns the ids that this tab shows. */
export const watchedHere = (): readonly string[] => [...shown.values()].flat()
