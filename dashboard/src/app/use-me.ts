import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, showTeam } from '../api/client.ts'
import type { Me } from '../api/types.ts'
import { isAnotherPerson } from '../session/person.ts'

/** Who is signed in, for which team, and what is allowed. Null until it is known. */
export function useMe(): { readonly me: Me | null; readonly error: unknown } {
  const queries = useQueryClient()
  const { data, error } = useQuery({
    queryKey: ['me'],
    async queryFn({ signal }) {
      const me = await ask<Me>('/v1/me', { signal })
      if (isAnotherPerson(me.user?.id ?? null)) return queries.getQueryData<Me>(['me']) ?? me
      showTeam(me.team.id)
      return me
    },
    staleTime: 60_000,
    // Somebody else may have signed in by another tab.
    refetchOnWindowFocus: 'always',
  })
  return { me: data ?? null, error }
}

/** Returns whether the person may do something in the team, by the name of its policy. */
export const usePermission = (name: string): boolean => useMe().me?.permissions.includes(name) ?? false
