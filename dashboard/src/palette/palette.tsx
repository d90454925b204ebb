import { useEffect, useRef, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Header } from 'react-aria-components/Header'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { SearchField } from 'react-aria-components/SearchField'
import { LIMITS } from '../api/types.ts'
import controls from '../style/controls.module.css'
import type { Entry } from './entry.ts'
import style from './palette.module.css'
import { useEntries } from './use-entries.ts'

interface PaletteProps {
  /** What was typed while it was loaded. */
  readonly begun: string
  onClose(): void
}

/** Everything by name: monitors, screens, what may be done now, and how the page looks. */
export function Palette({ begun, onClose }: PaletteProps) {
  const [text, setText] = useState(begun)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.setSelectionRange(LIMITS.search, LIMITS.search), [])
  useEffect(() => field.current?.focus(), [])
  const { groups, isReading } = useEntries(text.trim())
  function chooseFirst() {
    // The menu has the key where the person has gone to one of its items.
    if (field.current?.hasAttribute('aria-activedescendant')) return
    const first = groups.flatMap(({ entries }) => entries).find(({ refused }) => refused === null)
    if (first && text.trim() !== '') choose(first)
  }
  function choose({ act }: Entry) {
    onClose()
    // What moves the focus can do so once the dialog, which keeps it, is gone.
    setTimeout(act)
  }
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(isOpen) => !isOpen && onClose()} className={style['veil'] ?? ''}>
      <Modal className={`${controls['dialog']} ${style['box']}`}>
        <Dialog aria-label="Find and do" className={style['dialog'] ?? ''}>
          <Autocomplete inputValue={text} onInputChange={setText} disableAutoFocusFirst>
            <SearchField
              aria-label="Monitors, screens and actions"
              onSubmit={chooseFirst}
              className={style['field'] ?? ''}
            >
              <Input
                ref={field}
                className={`${controls['input']} ${style['input']}`}
                placeholder="A monitor, a screen, or what to do"
                maxLength={LIMITS.search}
              />
            </SearchField>
            <Menu
              aria-label="Found"
              className={style['found'] ?? ''}
              renderEmptyState={() => <p className={style['none']}>{isReading ? 'Searching…' : 'Nothing is found.'}</p>}
            >
              {groups.map(({ title, entries }) => (
                <MenuSection key={title} id={title}>
                  <Header className={controls['heading'] ?? ''}>{title}</Header>
                  {entries.map((entry) => (
                    <Item key={entry.id} entry={entry} onChoose={() => choose(entry)} />
                  ))}
                </MenuSection>
              ))}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

const Item = ({ entry: { id, title, note, refused }, onChoose }: { readonly entry: Entry; onChoose(): void }) => (
  <MenuItem
    id={id}
    textValue={title}
    isDisabled={refused !== null}
    className={`${controls['item']} ${style['item']}`}
    onAction={onChoose}
  >
    <bdi className={style['title']}>{title}</bdi>
    <span className={style['note']}>{refused ?? note}</span>
  </MenuItem>
)
