import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { Billing, PaymentPage, Usage } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'
import { webAddress } from '../monitor/any-monitor.ts'

export const useUsage = () =>
  useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => ask<Usage>('/v1/usage', { signal }),
    refetchInterval: refreshMs,
  })

/** Reads the plan and what can be bought. `mayRead`: only the owner may. */
export const useBilling = (mayRead: boolean) =>
  useQuery({
    queryKey: ['billing'],
    queryFn: ({ signal }) => ask<Billing>('/v1/billing', { signal }),
    enabled: mayRead,
  })

/** A page of the payment provider, with what it is asked for. */
type Payment =
  | { readonly path: 'checkout'; readonly body: { readonly plan: string; readonly serp: boolean } }
  | { readonly path: 'credits'; readonly body: { readonly runs: number } }
  | { readonly path: 'portal'; readonly body?: undefined }

/** Leads to a page of the payment provider, from which the person comes back. */
export const usePaymentPage = () =>
  useMutation({
    mutationFn: async ({ path, body }: Payment) => {
      const { url } = await ask<PaymentPage>(`/v1/billing/${path}`, { method: 'POST', body: body ?? {} })
      const address = webAddress(url)
      if (address === null) throw new Error('The payment provider gave no address of the web.')
      location.assign(address)
    },
  })

/** Cancels the subscription at the end of its period, or takes that back. */
export function useCancellation() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (act: 'cancel' | 'resume') => ask<Billing>(`/v1/billing/${act}`, { method: 'POST', body: {} }),
    onSuccess: (billing) => queries.setQueryData(['billing'], billing),
    onSettled: () => queries.invalidateQueries({ queryKey: ['usage'] }),
  })
}
