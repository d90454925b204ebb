import { Link } from 'wouter'
import type { AnyMonitor, Place } from './any-monitor.ts'
import style from './monitor.module.css'

interface NotInPlanProps {
  readonly monitor: Pick<AnyMonitor, 'status'>
  readonly place: Pick<Place, 'kind'>
}

/** Why a monitor that the plan does not cover is not checked, and what unlocks it. */
export function NotInPlan({ monitor: { status }, place: { kind } }: NotInPlanProps) {
  if (status !== 'billing_paused') return null
  return (
    <section aria-label="Why it is not checked" className={style['failing']} role="alert">
      <h2>It is not checked: the plan of the team does not cover it</h2>
      <p>
        {kind === 'serp'
          ? 'A plan with searches unlocks it, and so do run credits beside a plan. '
          : 'A plan unlocks it. '}
        Its settings and its history are kept. <Link href="/usage">See the plan</Link>
      </p>
    </section>
  )
}
