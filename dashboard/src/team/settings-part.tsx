import { useState } from 'react'
import type { Me, TeamSettings } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useRefusal } from '../app/use-refusal.ts'
import { sentenceOf } from '../new/form/sentence-of.ts'
import { ActionButton } from '../parts/action-button.tsx'
import controls from '../style/controls.module.css'
import style from './team.module.css'
import { Toggle } from './toggle.tsx'
import { useEditSettings, useRename, useSettings } from './use-team.ts'

const MOST = 80

/** The name of the team, and what applies to all of its monitors. */
export function SettingsPart({ team }: { readonly team: Me['team'] }) {
  const { data: settings, error } = useSettings()
  const refused = useRefusal('settings.manage')
  const edit = useEditSettings()
  const shown = { ...settings, ...(edit.isPending && edit.variables) }
  const toggle = (name: keyof TeamSettings) => ({
    isOn: shown[name] ?? false,
    refused: refused ?? (settings === undefined || edit.isPending ? 'One moment.' : null),
    onToggle: () => edit.mutate({ [name]: !(shown[name] ?? false) }),
  })
  return (
    <section aria-label="Settings" className={style['part']}>
      <h2>Settings</h2>
      <div className={style['card']}>
        <NameForm key={team.name} name={team.name} />
        {error !== null && <Notice error={error} />}
        <Toggle word="Proxy" {...toggle('proxy_enabled')}>
          A check that a site has blocked may be tried again through the proxy of this installation.
        </Toggle>
        <Toggle word="Mail about failures" {...toggle('error_notifications')}>
          The owner, <bdi>{team.owner_email}</bdi>, gets a mail when a monitor has failed five times in a row or finds
          none of its fields, and when it works again.
        </Toggle>
        {refused !== null && <p className={style['soft']}>{refused}</p>}
        <span role="status" className={style['said']}>
          {edit.isSuccess && 'It is saved.'}
        </span>
        {edit.error !== null && (
          <p role="alert" className={style['fault']}>
            {sentenceOf(edit.error)}
          </p>
        )}
      </div>
    </section>
  )
}

function NameForm({ name }: { readonly name: string }) {
  const [typed, setTyped] = useState(name)
  const refused = useRefusal('team.rename')
  const rename = useRename()
  const wanted = typed.trim()
  const missing = wanted === '' ? 'A team has a name.' : wanted === name ? 'The name is not changed yet.' : null
  const save = () => {
    if ((refused ?? missing) === null && !rename.isPending) rename.mutate(wanted)
  }
  return (
    <form
      className={style['field']}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <label className={style['label']} htmlFor="team-name">
        Name of the team
      </label>
      <span className={style['line']}>
        <input
          id="team-name"
          className={controls['input']}
          autoComplete="off"
          maxLength={MOST}
          readOnly={refused !== null}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <ActionButton refused={refused ?? missing} isBusy={rename.isPending} onAct={save}>
          Rename
        </ActionButton>
      </span>
      {rename.error !== null && (
        <p role="alert" className={style['fault']}>
          {sentenceOf(rename.error)}
        </p>
      )}
    </form>
  )
}
