import controls from '../style/controls.module.css'
import { switchTeam } from './switch-team.ts'
import { useMe } from './use-me.ts'

/** What is not in this team may be in another one of the person: a link in a message names no team. */
export function OtherTeams() {
  const { me } = useMe()
  const others = me?.teams.filter(({ id }) => id !== me.team.id) ?? []
  if (others.length === 0) return null
  return (
    <p>
      It may be in another of your teams:{' '}
      {others.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className={controls['button']}
          onClick={() => void switchTeam(id, location.href)}
        >
          Look in <bdi>{name}</bdi>
        </button>
      ))}
    </p>
  )
}
