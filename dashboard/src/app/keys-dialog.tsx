import { Button } from 'react-aria-components/Button'
import { Heading } from 'react-aria-components/Dialog'
import { type KeyPlace, KEYS } from '../parts/keys.ts'
import { ModalDialog } from '../parts/modal-dialog.tsx'
import { useSingleKeys } from '../parts/single-keys.ts'
import controls from '../style/controls.module.css'
import style from './keys-dialog.module.css'

const PLACES: readonly (readonly [KeyPlace, string])[] = [
  ['everywhere', 'Everywhere'],
  ['list', 'The list'],
  ['making', 'Making a monitor'],
  ['changes', 'The changes'],
  ['deliveries', 'The deliveries'],
  ['searches', 'The searches'],
  ['monitor', 'A monitor'],
  ['run', 'A run'],
]

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
      {PLACES.map(([place, title]) => (
        <section key={place} aria-label={title}>
          <h2 className={style['place']}>{title}</h2>
          <KeyList place={place} />
        </section>
      ))}
    </ModalDialog>
  )
}

const KeyList = ({ place }: { readonly place: KeyPlace }) => (
  <dl className={style['keys']}>
    {KEYS[place].map(({ keys, what }) => (
      <div key={what}>
        <dt>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
)
