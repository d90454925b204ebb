import type { ReactNode } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import controls from '../style/controls.module.css'

interface ModalDialogProps {
  readonly role?: 'dialog' | 'alertdialog'
  readonly className?: string | undefined
  /** Called where the person leaves it by Escape or by a press beside it. Absent: it has to be answered. */
  readonly onClose?: () => void
  readonly children: ReactNode
}

/** A dialog over the screen. */
export const ModalDialog = ({ role = 'dialog', className = '', onClose, children }: ModalDialogProps) => (
  <ModalOverlay
    isOpen
    isDismissable={onClose !== undefined}
    onOpenChange={(isOpen) => !isOpen && onClose?.()}
    className={controls['veil'] ?? ''}
  >
    <Modal className={controls['dialog'] ?? ''}>
      <Dialog role={role} className={className}>
        {children}
      </Dialog>
    </Modal>
  </ModalOverlay>
)
