import { useRef } from 'react'
import { useSearch, useLocation } from 'wouter'
import { serverNow } from '../api/client.ts'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Choice } from '../parts/choice.tsx'
import { useCommands } from '../parts/commands.ts'
import { MoreRows } from '../parts/more-rows.tsx'
import { useFocusedRow } from '../parts/use-focused-row.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
import { ChangeRow } from './change-row.tsx'
import style from './changes.module.css'
import { byDay, byMonitor, type Group } from './grouped.ts'
import { type Change, type ChangeList, useChanges } from './use-changes.ts'

/** What changed over all monitors of the team, the newest first. */
export function ChangesPage() {
  useTitle('Changes')
  const asked = new URLSearchParams(useSearch())
  const onlyUnseen = asked.get('show') === 'unseen'
  const isByMonitor = asked.get('group') === 'monitor'
  const list = useChanges(onlyUnseen ? 'unseen' : 'all')
  const { changes, error, hasMore, seeAll } = list
  const rows = useRef<HTMLDivElement>(null)
  const focused = useFocusedRow(rows, changes ?? [], ({ run_id: id }) => id)
  useShortcut('changes', 'j', () => focused.move(1))
  useShortcut('changes', 'k', () => focused.move(-1))
  useShortcut('changes', 'e', () => focused.act(list.see))
  useShortcut('changes', 'u', () => focused.act(list.unsee))
  const [newest] = changes ?? []
  const areSeen = changes === null || changes.every(({ seen }) => seen)
  const markAll = () => newest && seeAll(newest)
  const refused = nothingNew(areSeen, changes !== null && !hasMore)
  useCommands([{ id: 'all-seen', title: 'Mark all changes as seen', refused, act: markAll }])
  return (
    <section className={style['page']} aria-label="Changes">
      <header className={style['head']}>
        <h1>Changes</h1>
        <AddressChoice name="show" label="Which changes" value={onlyUnseen ? 'unseen' : ''} choices={SHOWN} />
        <AddressChoice name="group" label="Groups" value={isByMonitor ? 'monitor' : ''} choices={GROUPED} />
        <span className={style['space']} />
        <ActionButton refused={refused} onAct={markAll}>
          Mark all seen
        </ActionButton>
      </header>
      {error !== null && <Notice error={error} />}
      {changes === null && error === null && <p role="status">Loading…</p>}
      {changes?.length === 0 && <Nothing onlyUnseen={onlyUnseen} />}
      <div ref={rows}>
        <Groups groups={groupsOf(changes ?? [], isByMonitor)} marks={list} />
      </div>
      <MoreRows list={list}>Show older changes</MoreRows>
    </section>
  )
}

function nothingNew(areSeen: boolean, areAllShown: boolean): string | null {
  if (!areSeen) return null
  return areAllShown ? 'You have seen every change.' : 'No change that is shown is new.'
}

const groupsOf = (changes: readonly Change[], isByMonitor: boolean): readonly Group[] =>
  isByMonitor ? byMonitor(changes) : byDay(changes, serverNow())

interface GroupsProps {
  readonly groups: readonly Group[]
  readonly marks: Pick<ChangeList, 'see' | 'unsee'>
}

const Groups = ({ groups, marks }: GroupsProps) =>
  groups.map(({ title, rows }) => (
    <section key={title} aria-label={title}>
      <h2 className={style['day']}>{title}</h2>
      <ol className={style['rows']}>
        {rows.map(({ change, count }) => (
          <ChangeRow
            key={change.run_id}
            change={change}
            count={count}
            onSee={() => marks.see(change)}
            onUnsee={() => marks.unsee(change)}
          />
        ))}
      </ol>
    </section>
  ))

const SHOWN = [
  ['', 'All'],
  ['unseen', 'Unseen'],
] as const
const GROUPED = [
  ['', 'By day'],
  ['monitor', 'By monitor'],
] as const

interface AddressChoiceProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly choices: readonly (readonly [string, string])[]
}

/** One of a few, which stands in the address. */
function AddressChoice({ name, ...choice }: AddressChoiceProps) {
  const asked = new URLSearchParams(useSearch())
  const [path, go] = useLocation()
  function choose(next: string) {
    if (next === '') asked.delete(name)
    else asked.set(name, next)
    go(asked.size === 0 ? path : `${path}?${asked}`)
  }
  return <Choice {...choice} onChoose={choose} />
}

const Nothing = ({ onlyUnseen }: { readonly onlyUnseen: boolean }) => (
  <p className={style['nothing']}>
    {onlyUnseen
      ? 'You have seen every change.'
      : 'Nothing has changed yet. The first check of a monitor is what later ones are compared with.'}
  </p>
)
