import { useKeys } from '../keys/use-keys.ts'
import { withCodes } from '../parts/with-codes.ts'
import { useMembers } from '../team/use-team.ts'

interface Actors {
  readonly title: string
  readonly entries: readonly { readonly id: string; readonly name: string }[]
}

/**
 * Returns who can be chosen: the members, the keys that work, and the one who is chosen, also after they have left.
 * They are read once the events are: there may be thousands.
 */
export function useActors(chosen: string, areEventsRead: boolean): readonly Actors[] {
  const members = useMembers(areEventsRead).data?.members ?? []
  const keys = useKeys(areEventsRead).data ?? []
  const groups = [
    { title: 'Members', entries: members.map(({ user_id: id, email }) => ({ id: `user:${id}`, name: email })) },
    {
      title: 'API keys',
      entries: keys.map(({ id, name, key_prefix: prefix }) => ({
        id: `key:${id}`,
        name: `${withCodes(name)} (${prefix}…)`,
      })),
    },
  ]
  const isKnown = chosen === '' || groups.some(({ entries }) => entries.some(({ id }) => id === chosen))
  const gone = { title: 'Not here any more', entries: [{ id: chosen, name: 'The one who is chosen' }] }
  return [...groups, ...(isKnown ? [] : [gone])].filter(({ entries }) => entries.length > 0)
}
