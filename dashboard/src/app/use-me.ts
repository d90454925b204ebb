import { useQuery } from '@tanstack/react-query'
import { ask, showTeam } from '../api/client.ts'
import type { Me } from '../api/types.ts'

/** Who is signed in, for which team, and what is allowed. Null until it is known. */
export function useMe(): { readonly me: Me | null; readonly error: unknown } {
  const { data, error } = useQuery({
    queryKey: ['me'],
    async queryFn({ signal }) {
      const me = await ask<Me>('/v1/me', { signal })
      showTeam(me.team.id)
      return me
    },
    staleTime: 60_000,
  })
  return { me: data ?? null, error }
}

/** Returns whether the person may do something in the team, by the name of its policy. */
export const usePermission = (name: string): boolean => useMe().me?.permissions.includes(name) ?? false
