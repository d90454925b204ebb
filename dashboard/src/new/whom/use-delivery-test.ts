import { useState } from 'react'
import { ApiFault, ask, type Issue } from '../../api/client.ts'
import type { DeliveryConfig, DeliveryTest } from '../../api/types.ts'
import { kindOf, takesMessage } from '../draft/destinations.ts'
import { issuesAt } from '../draft/path-of.ts'
import { sentenceOf } from '../form/sentence-of.ts'

interface Result {
  readonly answer?: DeliveryTest
  readonly refusal?: string
  readonly issues?: readonly Issue[]
}

interface DeliveryTesting extends Result {
  readonly isSending: boolean
  readonly issues: readonly Issue[]
  send(): void
}

interface Of {
  /** What messages say, unless the destination has its own words. */
  readonly message: DeliveryConfig['message'] | undefined
  /** The path of the destination in the form, for what is wrong with it. */
  readonly path: string
  /** What is known to be wrong already. */
  readonly issues: readonly Issue[]
}

/** Sends a test to a destination. Its result is gone with the first letter of something else. */
export function useDeliveryTest(delivery: DeliveryConfig, { message, path, issues: known }: Of): DeliveryTesting {
  const [result, setResult] = useState<(Result & { readonly of: string }) | null>(null)
  const [isSending, setSending] = useState(false)
  const isShared = message !== undefined && !delivery.message && takesMessage(kindOf(delivery))
  const sent: DeliveryConfig = isShared ? { ...delivery, message } : delivery
  const of = JSON.stringify(sent)
  async function send() {
    setSending(true)
    setResult({ of, ...(await resultOf(sent)) })
    setSending(false)
  }
  const { answer, refusal, issues = [] } = result?.of === of ? result : {}
  // Words that all destinations share are not wrong at this one.
  const shared = isShared ? issuesAt(issues, 'delivery.message') : []
  const why = refusal ?? shared.map((issue) => `${issue.path.replace('delivery.', '')} ${issue.message}.`).join(' ')
  return {
    isSending,
    ...(answer && { answer }),
    ...(why !== '' && { refusal: why }),
    issues: issues
      .filter((issue) => !shared.includes(issue))
      .map((issue) => ({ ...issue, path: issue.path.replace(/^delivery\b/, path) }))
      .filter((issue) => !known.some((one) => one.path === issue.path && one.message === issue.message)),
    send: () => void send(),
  }
}

async function resultOf(delivery: DeliveryConfig): Promise<Result> {
  try {
    return { answer: await ask<DeliveryTest>('/v1/deliveries/test', { method: 'POST', body: { delivery } }) }
  } catch (error) {
    const issues = error instanceof ApiFault ? error.issues : []
    return issues.length > 0 ? { issues } : { refusal: sentenceOf(error) }
  }
}
