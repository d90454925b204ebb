import { GIVEN_ROLES } from '../api/access.ts'
import { ROLE_WORDS } from './role-words.ts'
import style from './team.module.css'
import type { GivenRole } from './use-team.ts'

interface RoleFieldProps {
  readonly role: GivenRole
  onChoose(role: GivenRole): void
}

/** Chooses a role, with what each may do. */
export const RoleField = ({ role, onChoose }: RoleFieldProps) => (
  <fieldset>
    <legend>Role</legend>
    {GIVEN_ROLES.toReversed().map((one) => (
      <label key={one} className={style['way']}>
        <input type="radio" name="role" checked={one === role} onChange={() => onChoose(one)} />
        <span className={style['word']}>{one}</span>
        <small>{ROLE_WORDS[one]}</small>
      </label>
    ))}
  </fieldset>
)
