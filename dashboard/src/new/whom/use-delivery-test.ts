import { useState } from 'react'
import { ApiFault, ask, type Issue } from '../../api/client.ts'
import type { DeliveryConfig, DeliveryTest } from '../../api/types.ts'
import { kindOf, takesMessage } from '../draft/destinations.ts'
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
}

/** Sends a test to a destination. Its result is gone with the first letter of something else. */
export function useDeliveryTest(delivery: DeliveryConfig, { message, path }: Of): DeliveryTesting {
  const [result, setResult] = useState<(Result & { readonly of: string }) | null>(null)
  const [isSending, setSending] = useState(false)
  const sent: DeliveryConfig =
    message && !delivery.message && takesMessage(kindOf(delivery)) ? { ...delivery, message } : delivery
  const of = JSON.stringify(sent)
  async function send() {
    setSending(true)
    setResult({ of, ...(await resultOf(sent)) })
    setSending(false)
  }
  const { answer, refusal, issues = [] } = result?.of === of ? result : {}
  return {
    isSending,
    ...(answer && { answer }),
    ...(refusal !== undefined && { refusal }),
    issues: issues.map((issue) => ({ ...issue, path: issue.path.replace(/^delivery\b/, path) })),
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
