import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Header } from 'react-aria-components/Header'
import { Menu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { useLocation } from 'wouter'
import { ask } from '../api/client.ts'
import type { Me } from '../api/types.ts'
import { Icon } from '../parts/icon.tsx'
import controls from '../style/controls.module.css'
import style from './menus.module.css'
import { switchTeam } from './switch-team.ts'
import { chooseTheme, THEMES, useTheme } from './theme.ts'

const item = controls['item'] ?? ''

/** Returns what was chosen of a menu. A person who chooses the same again chooses nothing. */
const chosenOf = <T extends string>(keys: 'all' | Iterable<unknown>, now: T): T =>
  keys === 'all' ? now : ((Array.from(keys)[0] as T | undefined) ?? now)

interface BarMenuProps {
  readonly label: string
  readonly button: ReactNode
  readonly children: ReactNode
}

const BarMenu = ({ label, button, children }: BarMenuProps) => (
  <MenuTrigger>
    <Button className={`${controls['quiet']} ${style['button']}`} aria-label={label}>
      {button}
      <Icon name="down" />
    </Button>
    <Popover className={controls['popover'] ?? ''} placement="bottom end">
      <Menu className={style['menu'] ?? ''}>{children}</Menu>
    </Popover>
  </MenuTrigger>
)

/** The team that the page shows. Another one is chosen for the whole session, so the page is loaded again. */
export function TeamMenu({ me }: { readonly me: Me | null }) {
  const [, go] = useLocation()
  if (me === null) return <span className={style['waiting']} />
  async function choose(id: string) {
    if (id === me?.team.id) location.assign('/')
    else await switchTeam(id, OF_EACH_TEAM.includes(location.pathname) ? location.pathname : '/')
  }
  return (
    <BarMenu
      label={`Team: ${me.team.name}`}
      button={
        <>
          <Icon name="team" />
          <bdi className={style['name']}>{me.team.name}</bdi>
        </>
      }
    >
      <MenuSection
        selectionMode="single"
        selectedKeys={[me.team.id]}
        onSelectionChange={(keys) => void choose(chosenOf(keys, me.team.id))}
      >
        <Header className={controls['heading'] ?? ''}>Your teams</Header>
        {me.teams.map(({ id, name, role }) => (
          <MenuItem key={id} id={id} textValue={name} className={item}>
            <bdi className={style['name']}>{name}</bdi>
            <span className={style['role']}>{role}</span>
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSection>
        <Header className={controls['heading'] ?? ''}>This team</Header>
        {TEAM.map(([path, word]) => (
          <MenuItem key={path} id={path} className={item} onAction={() => go(path)}>
            {word}
          </MenuItem>
        ))}
      </MenuSection>
    </BarMenu>
  )
}

/** Screens that each team has. A person who switches teams stays there. */
const OF_EACH_TEAM = ['/changes', '/team', '/keys', '/audit', '/usage', '/account']

const TEAM = [
  ['/team', 'Members and settings'],
  ['/keys', 'API keys'],
  ['/audit', 'Audit log'],
  ['/usage', 'Usage and plan'],
] as const

/** Who is signed in, the theme, and the way out. */
export function PersonMenu({ me }: { readonly me: Me | null }) {
  const theme = useTheme()
  const [, go] = useLocation()
  if (me === null) return null
  const name = me.user?.name || me.user?.email || 'You'
  async function signOut() {
    await ask('/auth/sign-out', { method: 'POST', body: {} }).catch(() => null)
    location.assign('/sign-in')
  }
  return (
    <BarMenu
      label={`You: ${name}`}
      button={
        <>
          <Icon name="person" />
          <bdi className={style['person']}>{name}</bdi>
        </>
      }
    >
      <MenuSection
        selectionMode="single"
        selectedKeys={[theme]}
        onSelectionChange={(keys) => chooseTheme(chosenOf(keys, theme))}
      >
        <Header className={controls['heading'] ?? ''}>Colours</Header>
        {Object.entries(THEMES).map(([id, word]) => (
          <MenuItem key={id} id={id} className={item}>
            {word}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSection>
        <Header className={controls['heading'] ?? ''}>{me.user?.email ?? ''}</Header>
        <MenuItem className={item} onAction={() => go('/account')}>
          Account
        </MenuItem>
        <MenuItem className={item} onAction={() => void signOut()}>
          Sign out
        </MenuItem>
      </MenuSection>
    </BarMenu>
  )
}
