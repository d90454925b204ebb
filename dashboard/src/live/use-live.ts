import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { noteRefusal } from '../session/session-state.ts'
import { EventGatherer } from './apply-events.ts'
import { setLive } from './live-state.ts'
import { LiveTab } from './live.ts'
import { watchedHere } from './watched.ts'

const SPREAD_MS = 5_000

/** Keeps what is on the screen as it is on the server, for as long as a team is shown. */
export function useLive(team: string | null): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (team === null) return
    const gatherer = new EventGatherer(queries)
    let wasLive = false
    const tab = new LiveTab({
      team,
      watched: watchedHere,
      onEvent: gatherer.add,
      onLive(isLive, goesOn) {
        setLive(isLive)
        // What happened between the first answers and the stream is read once. Where asking begins again, tabs of all
        // browsers do so at about the same time.
        if (!isLive) setTimeout(() => readAgain(queries, ['labels', 'me']), Math.random() * SPREAD_MS)
        else if (!wasLive || !goesOn) readAgain(queries, ['counts', 'labels', 'me'])
        wasLive = true
      },
      onWatched(ids) {
        const here = new Set(watchedHere())
        gatherer.read(ids.filter((id) => here.has(id)))
      },
      onRefused: noteRefusal,
    })
    return () => {
      tab.stop()
      gatherer.stop()
      setLive(false)
    }
  }, [queries, team])
}

function readAgain(queries: QueryClient, but: readonly string[]): void {
  const predicate = ({ queryKey: [name] }: { queryKey: readonly unknown[] }) => !but.includes(String(name))
  void queries.invalidateQueries({ predicate }, { cancelRefetch: false })
}
