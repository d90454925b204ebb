import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, serverNow } from '../api/client.ts'
import type { ApiKeyIssued, ApiKeys } from '../api/types.ts'

export type ApiKey = ApiKeys['data'][number]
export type Scope = ApiKey['scopes'][number]

const KEYS = ['api-keys']
const DAY_MS = 86_400_000
/** A key that ends within so many days is about to. */
const SOON_DAYS = 14

/** Reads the keys of the team that work, the newest first. */
export const useKeys = (isAllowed: boolean) =>
  useQuery({
    queryKey: KEYS,
    queryFn: async ({ signal }) => (await ask<ApiKeys>('/v1/keys', { signal })).data,
    enabled: isAllowed,
  })

/** Returns whether a key ends within the next days, and not because it was replaced. */
export const isEndingSoon = ({ expires_at: end, replaced }: ApiKey): boolean =>
  !replaced && end !== null && Date.parse(end) - serverNow() < SOON_DAYS * DAY_MS

export interface KeyWanted {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Null: it does not end. */
  readonly expires_at: string | null
}

/** Asks for something about keys, and reads their list again, whatever the answer. */
function useKeyAct<Wanted, Done>(act: (wanted: Wanted) => Promise<Done>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    // A new key is shown at once, and does not wait for the list.
    onSettled: () => void queries.invalidateQueries({ queryKey: KEYS }),
    // The whole key is in the answer: it is kept nowhere but on the screen.
    gcTime: 0,
  })
}

export const useCreateKey = () =>
  useKeyAct((body: KeyWanted) => ask<ApiKeyIssued>('/v1/keys', { method: 'POST', body }))

interface Rotation {
  readonly id: string
  readonly graceHours: number
}

export const useRotateKey = () =>
  useKeyAct(({ id, graceHours }: Rotation) =>
    ask<ApiKeyIssued>(`/v1/keys/${id}/rotate`, { method: 'POST', body: { grace_period_hours: graceHours } }),
  )

export const useRevokeKey = () => useKeyAct((id: string) => ask(`/v1/keys/${id}`, { method: 'DELETE' }))
