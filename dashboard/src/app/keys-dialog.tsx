import { Button } from 'react-aria-components/Button'
import { Dialog, Heading } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import controls from '../style/controls.module.css'
import style from './keys-dialog.module.css'

const KEYS = [
  ['/', 'Search'],
  ['j  k', 'Next and previous row'],
  ['↑  ↓', 'The same, when the list has the focus'],
  ['PgUp  PgDn  Home  End', 'Further in the list'],
  ['Enter', 'Open the row'],
  ['Space  x', 'Select the row'],
  ['Shift + ↑ ↓', 'Select several rows'],
  ['e  u', 'Changes: seen, not seen'],
  ['r  p', 'A monitor: check now; pause or resume'],
  ['←  →', 'The plot of a monitor: the point before, the next'],
  ['n  p', 'A run: next and previous change'],
  ['[  ]', 'A run: older and newer run'],
  ['?', 'These keys'],
  ['Esc', 'Close, or leave the search'],
] as const

/** What each key does. */
export const KeysDialog = ({ onClose }: { onClose(): void }) => (
  <ModalOverlay isOpen isDismissable onOpenChange={(isOpen) => !isOpen && onClose()} className={controls['veil'] ?? ''}>
    <Modal className={controls['dialog'] ?? ''}>
      <Dialog className={style['dialog'] ?? ''}>
        <header className={style['head']}>
          <Heading slot="title" level={1}>
            Keys
          </Heading>
          <Button className={controls['quiet'] ?? ''} onPress={onClose}>
            Close
          </Button>
        </header>
        <dl className={style['keys']}>
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                {keys.split('  ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </Modal>
  </ModalOverlay>
)
