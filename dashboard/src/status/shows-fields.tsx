import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { ask } from '../api/client.ts'
import type { OverviewCounts } from '../api/types.ts'
import { Choice } from '../parts/choice.tsx'
import controls from '../style/controls.module.css'
import { ChosenMonitors } from './chosen-monitors.tsx'
import type { Draft } from './draft.ts'
import { MonitorPicker } from './monitor-picker.tsx'
import style from './status.module.css'

interface ShowsFieldsProps {
  readonly draft: Draft
  onEdit(part: Partial<Draft>): void
}

const WAYS = [
  ['monitors', 'Chosen monitors'],
  ['label', 'A label'],
] as const

/** Which monitors a page shows, and what of them. */
export function ShowsFields({ draft, onEdit }: ShowsFieldsProps) {
  return (
    <fieldset className={style['part']}>
      <legend className={style['label']}>What it shows</legend>
      <span>
        <Choice label="Chosen by" value={draft.by} choices={WAYS} onChoose={(by) => onEdit({ by })} />
      </span>
      {draft.by === 'label' ? (
        <LabelFields draft={draft} onEdit={onEdit} />
      ) : (
        <>
          <ChosenMonitors monitors={draft.monitors} onChange={(monitors) => onEdit({ monitors })} />
          <MonitorPicker chosen={draft.monitors} onAdd={(one) => onEdit({ monitors: [...draft.monitors, one] })} />
        </>
      )}
    </fieldset>
  )
}

function LabelFields({ draft, onEdit }: ShowsFieldsProps) {
  const id = useId()
  const { data: labels } = useQuery({
    queryKey: ['status-pages', 'labels'],
    queryFn: async ({ signal }) =>
      (await ask<OverviewCounts>('/v1/overview/counts?count_errors=false&count_destinations=false', { signal })).labels,
  })
  return (
    <>
      <label className={style['field']}>
        <span className={style['label']}>Label</span>
        <input
          className={controls['input']}
          list={id}
          value={draft.label}
          maxLength={130}
          autoComplete="off"
          spellCheck={false}
          placeholder="audience=public"
          onChange={({ target }) => onEdit({ label: target.value })}
        />
        <datalist id={id}>
          {labels?.map(({ key, value }) => (
            <option key={`${key}=${value}`}>{`${key}=${value}`}</option>
          ))}
        </datalist>
      </label>
      <p className={style['soft']}>
        Every monitor with the label is shown by its own name, those that get it later too. To give public names, choose
        the monitors.
      </p>
      <label className={style['way']}>
        <input
          type="checkbox"
          checked={draft.showValues}
          onChange={({ target }) => onEdit({ showValues: target.checked })}
        />
        Show their values
        <small>With what they were before the last change.</small>
      </label>
    </>
  )
}
