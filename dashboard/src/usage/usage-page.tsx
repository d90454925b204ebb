import { Link } from 'wouter'
import { serverNow } from '../api/client.ts'
import type { Usage } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { Ago } from '../parts/time.tsx'
import { TeamArea } from '../team/team-area.tsx'
import { DaysPart } from './days-part.tsx'
import { GaugeRow } from './gauge-row.tsx'
import { gaugesOf } from './gauges.ts'
import { MostPart } from './most-part.tsx'
import { PlanPart } from './plan-part.tsx'
import style from './usage.module.css'
import { useUsage } from './use-billing.ts'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** What the team has used of its plan, how fast, what stops when, and the plan. */
export function UsagePage() {
  const { data: usage, error } = useUsage()
  return (
    <TeamArea path="/usage">
      {error !== null && <Notice error={error} />}
      {usage === undefined && error === null && <p role="status">Loading…</p>}
      {usage !== undefined && (
        <>
          <Standing usage={usage} />
          <section aria-label="This period" className={style['part']}>
            <h2>This period</h2>
            <Period usage={usage} />
            <ul className={style['gauges']}>
              {gaugesOf(usage).map((gauge) => (
                <GaugeRow key={gauge.name} gauge={gauge} />
              ))}
            </ul>
          </section>
        </>
      )}
      <DaysPart />
      <MostPart />
      <PlanPart />
    </TeamArea>
  )
}

/** The plan in a line, and what is locked. */
function Standing({ usage }: { readonly usage: Usage }) {
  const { tier, trialActive, trialEndsAt: end, runCredits: credits, limits } = usage
  const locked = usage.monitorsLocked + usage.serpMonitorsLocked
  return (
    <>
      <p className={style['standing']}>
        <b>{tier === 'unlimited' ? 'Without limits' : tier.slice(0, 1).toUpperCase() + tier.slice(1)}</b>
        {end !== null && (
          <span>
            {trialActive ? 'The trial ends' : 'The trial ended'} <Ago at={end} />
          </span>
        )}
        <span>
          {credits.toLocaleString('en')} run {credits === 1 ? 'credit' : 'credits'}
        </span>
        <span>history of {limits.retentionDays.toLocaleString('en')} days</span>
        <span>
          {limits.maxDeliveriesPerMonitor.toLocaleString('en')}{' '}
          {limits.maxDeliveriesPerMonitor === 1 ? 'destination' : 'destinations'} a monitor
        </span>
      </p>
      {locked > 0 && (
        <p className={style['locked']} role="alert">
          <b>
            {locked.toLocaleString('en')} {locked === 1 ? 'monitor is' : 'monitors are'} locked.
          </b>{' '}
          {whyLocked(usage)} <Link href="/?status=billing_paused">Show them</Link>
        </p>
      )}
    </>
  )
}

function whyLocked({ tier, trialActive, monitorsLocked: pages }: Usage): string {
  if (tier === 'free' && !trialActive) return 'The trial is over. A plan unlocks them; their history is kept.'
  if (pages === 0) return 'The plan has no searches. A plan with searches, or run credits, unlock them.'
  return 'A plan unlocks them; their history is kept.'
}

function Period({
  usage: { runsPeriodStart: start, runsResetAt: end, pace, monitorsActive, runs },
}: {
  readonly usage: Usage
}) {
  const isOver = Date.parse(end) < serverNow()
  return (
    <p className={style['pace']}>
      From {day.format(Date.parse(start))} to {day.format(Date.parse(end))}
      {!isOver && (
        <>
          {' '}
          (ends <Ago at={end} />)
        </>
      )}
      . {monitorsActive.toLocaleString('en')} {monitorsActive === 1 ? 'monitor uses' : 'monitors use'} about{' '}
      {short.format(pace.runsPerDay)} runs a day. {runs.limit !== null && <b>{paceWords(pace.usedUpAt)}</b>}
    </p>
  )
}

const paceWords = (at: string | null): string =>
  at === null ? 'At this rate they last.' : `At this rate they are used up on ${day.format(Date.parse(at))}.`
