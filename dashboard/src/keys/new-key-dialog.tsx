import { useState } from 'react'
import { KEY_LIMITS } from '../api/access.ts'
import { serverNow } from '../api/client.ts'
import type { ApiKeyIssued } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import controls from '../style/controls.module.css'
import style from './keys.module.css'
import { type KeyWanted, type Scope, useCreateKey } from './use-keys.ts'

interface NewKeyDialogProps {
  onIssued(issued: ApiKeyIssued): void
  onClose(): void
}

const DAY_MS = 86_400_000
const ENDS = { '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year', date: 'On a day…', never: 'Never' } as const
type End = keyof typeof ENDS
const END_NAMES = ['30', '90', '365', 'date', 'never'] as const satisfies readonly End[]

const SCOPES = [
  { scopes: ['read'], word: 'Read only', note: 'It lists and reads, as a viewer does. For reports and dashboards.' },
  {
    scopes: ['read', 'write'],
    word: 'Read and write',
    note: 'It also makes, edits, pauses, runs and deletes monitors. For pipelines and the command line.',
  },
] as const satisfies readonly { scopes: readonly Scope[]; word: string; note: string }[]

interface Draft {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly end: End
  readonly date: string
}

/** Returns when the key ends; undefined: it is not chosen yet, or over. */
function endOf({ end, date }: Draft): string | null | undefined {
  if (end === 'never') return null
  if (end !== 'date') return new Date(serverNow() + Number(end) * DAY_MS).toISOString()
  // The last moment of the day, where the person is.
  const at = new Date(`${date}T23:59:59`)
  return Number.isNaN(at.getTime()) || at.getTime() <= serverNow() ? undefined : at.toISOString()
}

function missingOf(draft: Draft): string | null {
  if (draft.name.trim() === '') return 'Give it a name.'
  return endOf(draft) === undefined ? 'Choose a day that is not over.' : null
}

/** Asks for what a new key has, and makes it. */
export function NewKeyDialog({ onIssued, onClose }: NewKeyDialogProps) {
  const [draft, setDraft] = useState<Draft>({ name: '', scopes: ['read'], end: '90', date: '' })
  const create = useCreateKey()
  const edit = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const body: KeyWanted = { name: draft.name.trim(), scopes: draft.scopes, expires_at: endOf(draft) ?? null }
  return (
    <ConfirmDialog
      title="New API key"
      action="Make the key"
      isBusy={create.isPending}
      missing={missingOf(draft)}
      error={create.error}
      onAct={() => create.mutate(body, { onSuccess: onIssued })}
      onClose={onClose}
    >
      <label className={style['field']}>
        <span className={style['label']}>Name</span>
        <input
          // The dialog was opened to type it.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          className={controls['input']}
          placeholder="What uses it: Deploy of the shop"
          autoComplete="off"
          maxLength={KEY_LIMITS.name}
          value={draft.name}
          onChange={({ target }) => edit({ name: target.value })}
        />
      </label>
      <fieldset>
        <legend>What it may do</legend>
        {SCOPES.map(({ scopes, word, note }) => (
          <label key={word} className={style['way']}>
            <input
              type="radio"
              name="scopes"
              checked={draft.scopes.length === scopes.length}
              onChange={() => edit({ scopes })}
            />
            {word}
            <small>{note}</small>
          </label>
        ))}
      </fieldset>
      <EndField draft={draft} onEdit={edit} />
    </ConfirmDialog>
  )
}

interface EndFieldProps {
  readonly draft: Draft
  onEdit(part: Partial<Draft>): void
}

const EndField = ({ draft: { end, date }, onEdit }: EndFieldProps) => (
  <div className={style['field']}>
    <label className={style['label']} htmlFor="key-end">
      When it ends
    </label>
    <span className={style['line']}>
      <select
        id="key-end"
        className={controls['select']}
        value={end}
        onChange={({ target }) => onEdit({ end: END_NAMES.find((one) => one === target.value) ?? 'never' })}
      >
        {END_NAMES.map((one) => (
          <option key={one} value={one}>
            {ENDS[one]}
          </option>
        ))}
      </select>
      {end === 'date' && (
        <input
          type="date"
          className={controls['input']}
          aria-label="Its last day"
          value={date}
          onChange={({ target }) => onEdit({ date: target.value })}
        />
      )}
    </span>
    {end === 'never' && <span className={style['soft']}>Then it works until somebody revokes it.</span>}
  </div>
)
