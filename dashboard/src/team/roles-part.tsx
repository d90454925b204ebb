import { ACCESS, ROLES } from '../api/access.ts'
import table from '../style/table.module.css'
import { ROLE_WORDS } from './role-words.ts'
import style from './team.module.css'

/** What each role may do: in a sentence, and each permission. */
export const RolesPart = () => (
  <section aria-label="What each role may do" className={style['part']}>
    <h2>What each role may do</h2>
    <dl className={style['roles']}>
      {ROLES.map((role) => (
        <div key={role}>
          <dt className={style['word']}>{role}</dt>
          <dd>{ROLE_WORDS[role]}</dd>
        </div>
      ))}
    </dl>
    <details className={style['details']}>
      <summary>Each permission</summary>
      {/* What scrolls is reached by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={style['wide']} role="region" tabIndex={0} aria-label="Permissions of the roles">
        <table className={table['table']}>
          <thead>
            <tr>
              <th scope="col">Permission</th>
              {ROLES.map((role) => (
                <th key={role} scope="col">
                  {role}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(ACCESS).map(([name, { role: least, what }]) => (
              <tr key={name}>
                <th scope="row">{what}</th>
                {ROLES.map((role) => (
                  <td key={role}>{ROLES.indexOf(role) >= ROLES.indexOf(least) ? 'yes' : <span>no</span>}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  </section>
)
