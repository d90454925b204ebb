import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useMe } from '../app/use-me.ts'
import { useTitle } from '../app/use-title.ts'
import { Stranger } from '../parts/stranger.tsx'
import style from './team-area.module.css'

const SCREENS = [
  ['/team', 'Members'],
  ['/keys', 'API keys'],
  ['/status-pages', 'Status pages'],
  ['/audit', 'Audit log'],
  ['/usage', 'Usage'],
] as const

interface TeamAreaProps {
  readonly path: (typeof SCREENS)[number][0]
  /** What is done on it. Absent: it is called as the screen of the path. */
  readonly title?: string
  /** What can be done on the screen, beside its name. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A screen about the team, with the way to its others. */
export function TeamArea({ path, title: given, actions, children }: TeamAreaProps) {
  const { me } = useMe()
  const title = given ?? SCREENS.find(([one]) => one === path)?.[1] ?? ''
  useTitle(title)
  return (
    <section className={style['page']} aria-label={title}>
      <p className={style['team']}>{me !== null && <Stranger text={me.team.name} />}</p>
      <header className={style['head']}>
        <h1>{title}</h1>
        <span className={style['actions']}>{actions}</span>
      </header>
      <nav className={style['tabs']} aria-label="About the team">
        {SCREENS.map(([to, word]) => (
          <Link key={to} href={to} aria-current={to === path ? 'page' : undefined}>
            {word}
          </Link>
        ))}
      </nav>
      {children}
    </section>
  )
}
