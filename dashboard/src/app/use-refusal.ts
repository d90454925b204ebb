import { ACCESS } from '../api/access.ts'
import { useMe } from './use-me.ts'

/** A permission, by the name of its policy. */
type Permission = keyof typeof ACCESS

/** Returns why the person may not do something in the team, before the API is asked. Null: they may. */
export function useRefusal(name: Permission): string | null {
  const { me } = useMe()
  if (me === null) return 'Your role is being read.'
  if (me.permissions.includes(name)) return null
  const { role, what } = ACCESS[name]
  return `Your role, ${me.team.role}, may not ${what}. Ask ${role === 'owner' ? '' : 'an admin or '}the owner.`
}
