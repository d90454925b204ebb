import type { Delivery } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import { useDeliveryActs } from './use-delivery-acts.ts'
import { whyNotAgain } from './words.ts'

/** Sends a delivery again that failed or was given up, and says how that went. */
export function ReplayButton({ delivery }: { readonly delivery: Pick<Delivery, 'id' | 'status' | 'destination'> }) {
  const { id, destination } = delivery
  const acts = useDeliveryActs()
  const hasFailed = whyNotAgain(delivery) === null
  const refused = acts.refused ?? (acts.isBusy ? 'It is being sent.' : null)
  const act = () => acts.act({ act: 'replay', ids: [id] })
  useCommands(hasFailed ? [{ id: `replay-${id}`, title: `Send again: ${destination}`, refused, act }] : [])
  return (
    <>
      {hasFailed && (
        <ActionButton refused={refused} onAct={act}>
          Send again
        </ActionButton>
      )}
      <span role="status">{acts.said}</span>
      {acts.error !== null && <Notice error={acts.error} />}
    </>
  )
}
