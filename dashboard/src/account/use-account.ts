import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { AccountSessions, Billing } from '../api/types.ts'

export type Session = AccountSessions['data'][number]

/** With one of these a plan holds, and is renewed. */
const LIVE: readonly NonNullable<Billing['subscription']>['status'][] = ['trialing', 'active', 'past_due']
const SESSIONS = ['sessions']

/** Reads where the person is signed in, the newest first. */
export const useSessions = () =>
  useQuery({
    queryKey: SESSIONS,
    queryFn: async ({ signal }) => (await ask<AccountSessions>('/v1/account/sessions', { signal })).data,
  })

/** Reads whether the team has a subscription that would be renewed; only its owner may know. */
export const useIsSubscribed = (isOwner: boolean) =>
  useQuery({
    queryKey: ['subscription'],
    queryFn: async ({ signal }) => {
      const { subscription } = await ask<Billing>('/v1/billing', { signal })
      return subscription !== null && !subscription.cancel_at_period_end && LIVE.includes(subscription.status)
    },
    enabled: isOwner,
  })

/** Asks for something about the account, and reads again what it may have changed, whatever the answer. */
function useAccountAct<Wanted>(act: (wanted: Wanted) => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSettled: () => Promise.all([SESSIONS, ['me']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
    // A password is among what was sent.
    gcTime: 0,
  })
}

export const useSetName = () =>
  useAccountAct((name: string) => ask('/auth/update-user', { method: 'POST', body: { name } }))

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
}

export const useSetPassword = () =>
  useAccountAct((body: PasswordChange) => ask('/auth/change-password', { method: 'POST', body }))

export const useEndSession = () =>
  useAccountAct((id: string) => ask(`/v1/account/sessions/${id}`, { method: 'DELETE' }))

export const useEndOthers = () =>
  useAccountAct<undefined>(() => ask('/auth/revoke-other-sessions', { method: 'POST', body: {} }))

/** The account is gone afterwards, so nothing is read again. */
export const useDeleteAccount = () =>
  useMutation({ mutationFn: (email: string) => ask('/v1/account', { method: 'DELETE', body: { email } }) })
