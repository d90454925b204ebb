import { Button } from 'react-aria-components/Button'
import { Heading } from 'react-aria-components/Dialog'
import { ModalDialog } from '../parts/modal-dialog.tsx'
import { useSingleKeys } from '../parts/single-keys.ts'
import controls from '../style/controls.module.css'
import style from './keys-dialog.module.css'

const KEYS = [
  ['Ctrl K  ⌘ K', 'Find a monitor or a screen, or do something'],
  ['/', 'Search'],
  ['g m', 'Monitors'],
  ['g c', 'Changes'],
  ['j  k', 'Next and previous row'],
  ['↑  ↓', 'The same, when the list has the focus'],
  ['PgUp  PgDn  Home  End', 'Further in the list'],
  ['Enter', 'Open the row'],
  ['Space  x', 'Select the row'],
  ['Shift + ↑ ↓', 'Select several rows'],
  ['r', 'Run now what is selected, the row, or the monitor'],
  ['p', 'Pause or resume it'],
  ['e  u', 'Mark its change as seen, or as unseen'],
  ['←  →', 'The plot of a monitor: the point before, the next'],
  ['n  p', 'A run: next and previous change'],
  ['[  ]', 'A run: older and newer run'],
  ['?', 'These keys'],
  ['Esc', 'Close, leave the search, or clear the selection'],
] as const

/** What each key does, and whether single keys do anything. */
export function KeysDialog({ onClose }: { onClose(): void }) {
  const [areOn, setOn] = useSingleKeys()
  return (
    <ModalDialog className={style['dialog']} onClose={onClose}>
      <header className={style['head']}>
        <Heading slot="title" level={1}>
          Keys
        </Heading>
        <Button className={controls['quiet'] ?? ''} onPress={onClose}>
          Close
        </Button>
      </header>
      <label className={style['choice']}>
        <input type="checkbox" checked={areOn} onChange={({ target }) => setOn(target.checked)} />
        Single letters and signs are shortcuts
      </label>
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
    </ModalDialog>
  )
}
