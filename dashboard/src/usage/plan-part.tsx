import { useState } from 'react'
import type { Billing } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useRefusal } from '../app/use-refusal.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Ago } from '../parts/time.tsx'
import controls from '../style/controls.module.css'
import style from './usage.module.css'
import { useBilling, useCancellation, usePaymentPage } from './use-billing.ts'

/** The plan, and what the owner can buy, cancel and resume. */
export function PlanPart() {
  const refused = useRefusal('billing.manage')
  const { data: billing, error } = useBilling(refused === null)
  return (
    <section aria-label="Plan" className={style['part']}>
      <h2>Plan</h2>
      {refused !== null && <p className={style['soft']}>{refused}</p>}
      {error !== null && <Notice error={error} />}
      {billing && (billing.provider === 'manual' ? <Manual /> : <Bought billing={billing} />)}
    </section>
  )
}

const Manual = () => (
  <p className={style['soft']}>
    Nothing is sold here: whoever runs this installation sets plans and credits. Ask them for another plan.
  </p>
)

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })
const named = (plan: string, serp: boolean): string =>
  `${plan.slice(0, 1).toUpperCase()}${plan.slice(1)}${serp ? ' with searches' : ''}`

function Bought({ billing }: { readonly billing: Billing }) {
  const { subscription, plans, credit_packs: packs } = billing
  const pay = usePaymentPage()
  const open = { disabled: pay.isPending, type: 'button', className: controls['button'] } as const
  return (
    <>
      <Subscription billing={billing} />
      {subscription === null ? (
        <ul className={style['offers']} aria-label="Plans">
          {plans.map(({ plan, serp }) => (
            <li key={`${plan} ${serp}`}>
              <button {...open} onClick={() => pay.mutate({ path: 'checkout', body: { plan, serp } })}>
                Choose {named(plan, serp)}
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <button {...open} onClick={() => pay.mutate({ path: 'portal' })}>
          Invoices, ways to pay and other plans
        </button>
      )}
      {packs.length > 0 && (
        <>
          <h3>Run credits</h3>
          <p className={style['soft']}>Credits pay for checks once the runs of the period are used up. They stay.</p>
          <ul className={style['offers']} aria-label="Run credits">
            {packs.map((runs) => (
              <li key={runs}>
                <button {...open} onClick={() => pay.mutate({ path: 'credits', body: { runs } })}>
                  Buy {runs.toLocaleString('en')} runs
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <p role="status">{pay.isPending && 'The page of the payment provider is opened…'}</p>
      {pay.error !== null && <Notice error={pay.error} />}
    </>
  )
}

function Subscription({ billing: { subscription } }: { readonly billing: Billing }) {
  const [isAsking, setAsking] = useState(false)
  const cancellation = useCancellation()
  if (subscription === null) return <p>No plan is bought.</p>
  const { period_ends_at: end, cancel_at_period_end: isCancelled, status } = subscription
  return (
    <>
      <p>
        {isCancelled ? 'It ends' : 'It is renewed'} on <b>{whole.format(Date.parse(end))}</b> (<Ago at={end} />
        ).
        {status === 'past_due' && ' The last payment failed. It is tried again: check how you pay.'}
      </p>
      <p className={style['offers']}>
        {isCancelled ? (
          <button
            type="button"
            className={controls['button']}
            disabled={cancellation.isPending}
            onClick={() => cancellation.mutate('resume')}
          >
            Keep the plan
          </button>
        ) : (
          <button type="button" className={controls['button']} onClick={() => setAsking(true)}>
            Cancel the plan…
          </button>
        )}
      </p>
      {cancellation.error !== null && !isAsking && <Notice error={cancellation.error} />}
      {isAsking && (
        <ConfirmDialog
          title="Cancel the plan?"
          action="Cancel it"
          isEnd
          isBusy={cancellation.isPending}
          error={cancellation.error}
          onAct={() => cancellation.mutate('cancel', { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>
            It holds until {whole.format(Date.parse(end))}. After that all monitors are locked. They keep their settings
            and their history. Until then you can take it back.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
