import { useRef, useState } from 'react'
import { ROLES } from '../api/access.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Chips } from '../parts/chips.tsx'
import { ShowMore } from '../parts/long-text.tsx'
import { Stranger } from '../parts/stranger.tsx'
import { Ago } from '../parts/time.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import tones from '../style/tones.module.css'
import { SearchField } from './search-field.tsx'
import style from './team.module.css'
import type { Member, Role } from './use-team.ts'

/** So many rows are drawn at once. */
const STEP = 100

interface MembersProps {
  readonly members: readonly Member[]
  /** The id of the person who looks. */
  readonly self: string | null
  /** Why members cannot be changed. */
  readonly refused: string | null
  onRole(member: Member): void
  onRemove(member: Member): void
}

/** The people of the team. */
export function Members({ members, ...row }: MembersProps) {
  const [role, setRole] = useState<Role | 'all'>('all')
  const [text, setText] = useState('')
  const [room, setRoom] = useState(STEP)
  const list = useRef<HTMLElement>(null)
  useKeptFocus(list)
  const found = members.filter((one) => (role === 'all' || one.role === role) && isFound(one, text))
  const chips = [
    { id: 'all' as const, word: 'All', count: members.length },
    ...ROLES.toReversed().map((id) => ({
      id,
      word: PLURALS[id],
      count: members.filter((one) => one.role === id).length,
    })),
  ]
  return (
    <section ref={list} tabIndex={-1} aria-label="Members" className={style['part']}>
      <div className={style['filters']}>
        <Chips chips={chips} chosen={role} onChoose={setRole} />
        <SearchField label="Search names and addresses" text={text} onChange={setText} />
      </div>
      <ul className={style['rows']}>
        {found.slice(0, room).map((member) => (
          <MemberRow key={member.user_id} member={member} {...row} />
        ))}
      </ul>
      <p role="status" className={style['count']}>
        {found.length.toLocaleString('en')} of {members.length.toLocaleString('en')}
      </p>
      {found.length > room && (
        <ShowMore shown={room} all={found.length} what="members" step={STEP} onMore={() => setRoom(room + STEP)} />
      )}
    </section>
  )
}

const PLURALS: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admins',
  member: 'Members',
  viewer: 'Viewers',
}

const isFound = ({ name, email }: Member, text: string): boolean =>
  `${name}\n${email}`.toLowerCase().includes(text.trim().toLowerCase())

function roleRefusal(member: Member, self: string | null): string | null {
  if (member.role === 'owner') return 'The role of the owner cannot be changed: a team has exactly one.'
  return member.user_id === self ? 'Another admin or the owner changes your role.' : null
}

interface MemberRowProps extends Omit<MembersProps, 'members'> {
  readonly member: Member
}

function MemberRow({ member, self, refused, onRole, onRemove }: MemberRowProps) {
  const { user_id: id, name, email, role, joined_at: joined } = member
  const isSelf = id === self
  const unremoved = role === 'owner' ? (isSelf ? OWN : 'The owner cannot be removed.') : null
  return (
    <li className={style['row']}>
      <span className={style['who']}>
        <b className={style['strong']}>
          <Stranger text={name} />
          {isSelf && <span className={style['you']}>you</span>}
        </b>
        <bdi className={style['soft']}>{email}</bdi>
      </span>
      <span className={style['word']}>{role}</span>
      <span className={style['since']}>
        <span className={tones['soft']}>joined</span> <Ago at={joined} />
      </span>
      <span className={style['acts']}>
        <ActionButton
          refused={refused ?? roleRefusal(member, self)}
          label={`Role of ${email}`}
          onAct={() => onRole(member)}
        >
          Role…
        </ActionButton>
        <ActionButton
          refused={(isSelf ? null : refused) ?? unremoved}
          label={`${isSelf ? 'Leave' : 'Remove'}: ${email}`}
          onAct={() => onRemove(member)}
        >
          {isSelf ? 'Leave…' : 'Remove…'}
        </ActionButton>
      </span>
    </li>
  )
}

export const OWN = 'You own this team, so you cannot leave it. It ends with your account.'
