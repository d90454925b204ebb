import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Heading } from 'react-aria-components/Dialog'
import { ModalDialog } from '../parts/modal-dialog.tsx'
import controls from '../style/controls.module.css'
import style from './chosen.module.css'
import type { Row } from './ordered-rows.ts'

/** More than so many are deleted only after the person has typed how many they are. */
const TYPED_ABOVE = 10
const NAMED = 5
const ONE = 'It is not checked any more. Its runs can be read by their addresses as long as the plan keeps them.'
const SEVERAL =
  'They are not checked any more. Their runs can be read by their addresses as long as the plan keeps them.'

interface DeleteDialogProps {
  readonly rows: readonly Row[]
  onDelete(): void
  onClose(): void
}

/** Asks before monitors are deleted. */
export function DeleteDialog({ rows, onDelete, onClose }: DeleteDialogProps) {
  const [typed, setTyped] = useState('')
  const isMany = rows.length > TYPED_ABOVE
  const locked = rows.filter(({ managed_by: by }) => by !== 'api').length
  const title = rows.length === 1 ? 'Delete this monitor?' : `Delete ${rows.length.toLocaleString('en')} monitors?`
  return (
    <ModalDialog role="alertdialog" className={style['dialog']} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isMany || typed.trim() === String(rows.length)) onDelete()
        }}
      >
        <Heading slot="title" level={1}>
          {title}
        </Heading>
        <ul className={style['names']}>
          {rows.slice(0, NAMED).map(({ id, name }) => (
            <li key={id}>
              <bdi>{name}</bdi>
            </li>
          ))}
          {rows.length > NAMED && <li>and {(rows.length - NAMED).toLocaleString('en')} more</li>}
        </ul>
        <p>{rows.length === 1 ? ONE : SEVERAL}</p>
        {locked > 0 && (
          <p>{locked.toLocaleString('en')} of them are declared in a cluster or a file, and are deleted there.</p>
        )}
        {isMany && (
          <label className={style['typed']}>
            Type {rows.length} to delete them
            <input
              className={controls['input']}
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              maxLength={10}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
        )}
        <div className={style['ends']}>
          <Button className={controls['button'] ?? ''} onPress={onClose}>
            Keep
          </Button>
          <Button
            type="submit"
            className={`${controls['button']} ${style['delete']}`}
            isDisabled={isMany && typed.trim() !== String(rows.length)}
          >
            Delete
          </Button>
        </div>
      </form>
    </ModalDialog>
  )
}
