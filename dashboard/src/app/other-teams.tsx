import { useState } from 'react'
import controls from '../style/controls.module.css'
import { Notice } from './notice.tsx'
import { switchTeam } from './switch-team.ts'
import { useMe } from './use-me.ts'

/** Offers the other teams of the person, because a link in a message names no team. */
export function OtherTeams() {
  const { me } = useMe()
  const [error, setError] = useState<unknown>(null)
  const others = me?.teams.filter(({ id }) => id !== me.team.id) ?? []
  if (others.length === 0) return null
  return (
    <>
      <p>
        It may be in another of your teams:{' '}
        {others.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            className={controls['button']}
            onClick={() => void switchTeam(id, location.pathname + location.search).catch(setError)}
          >
            Look in <bdi>{name}</bdi>
          </button>
        ))}
      </p>
      {error !== null && <Notice error={error} />}
    </>
  )
}
