import type { ReactNode } from 'react'
import { Heading } from 'react-aria-components/Dialog'
import controls from '../style/controls.module.css'
import style from './form-dialog.module.css'
import { ModalDialog } from './modal-dialog.tsx'

interface FormDialogProps {
  readonly title: string
  /** What the button says that does it. */
  readonly word: string
  /** What is filled in can be sent. */
  readonly isReady: boolean
  onSubmit(): void
  onClose(): void
  readonly children: ReactNode
}

/** A dialog with a few fields and the button that does it. */
export const FormDialog = ({ title, word, isReady, onSubmit, onClose, children }: FormDialogProps) => (
  <ModalDialog className={style['dialog']} onClose={onClose}>
    <Heading slot="title" level={1}>
      {title}
    </Heading>
    <form
      className={style['form']}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) onSubmit()
      }}
    >
      {children}
      <div className={style['ends']}>
        <button type="button" className={controls['button']} onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className={`${controls['button']} ${controls['main']}`} disabled={!isReady}>
          {word}
        </button>
      </div>
    </form>
  </ModalDialog>
)
