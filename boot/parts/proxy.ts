import type { Logger } from '../../core/logger.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { parseProxyUrl, type ProxyAddress } from '../../runners/fetch/proxy/proxy-address.ts'
import { createProxyLayer, type Hold, type ProxyLayer } from '../../runners/fetch/proxy/proxy-layer.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { holdProxyBytes, type ProxyPayer, settleProxyBytes } from '../../store/quota/proxy-usage.ts'
import { createProxyRelay, type ProxyRelay } from '../../worker/queue/proxy-relay.ts'
import type { Settings } from '../settings/read-config.ts'

interface ProxyContext {
  readonly settings: Pick<Settings, 'TIDEMARK_PROXY_URL'>
  readonly egress: EgressPolicy
  readonly log: Pick<Logger, 'error' | 'warn'>
}

/** Returns the proxy of this installation; null when it has none. The settings were validated before. */
export function proxyLayerOf({ settings, egress, log }: ProxyContext): ProxyLayer | null {
  const proxy = addressOf(settings)
  return proxy && createProxyLayer({ proxy, policy: egress, log })
}

/** Returns the relay to that proxy for runners; null when there is no proxy. */
export function proxyRelayOf({ settings, egress, log }: ProxyContext, store: Store): ProxyRelay | null {
  const proxy = addressOf(settings)
  return proxy && createProxyRelay({ store, proxy, policy: egress, log })
}

function addressOf({ TIDEMARK_PROXY_URL: url }: ProxyContext['settings']): ProxyAddress | null {
  const parsed = url === undefined ? null : parseProxyUrl(url)
  return parsed?.ok ? parsed.proxy : null
}

/** Returns a function that reserves proxy bytes in the store. When the store cannot be read, nothing is reserved. */
export function proxyHold(store: Store, payer: ProxyPayer, log: Pick<Logger, 'error' | 'warn'>): Hold {
  return async (bytes) => {
    try {
      const held = await holdProxyBytes(store, payer, bytes)
      return held.kind === 'held' ? { bytes: held.bytes, settle: (used) => settle(held, used) } : held.kind
    } catch (error) {
      if (!storeOutage(log).covers(error, 'reservations of proxy bytes'))
        log.warn({ err: error }, 'the proxy was not used: its allowance could not be read')
      return 'used_up'
    }
  }

  async function settle(held: { id: string; teamId: string }, used: number): Promise<void> {
    try {
      await settleProxyBytes(store, held, used)
    } catch (error) {
      log.warn({ err: error, bytes: used, team_id: held.teamId }, 'proxy bytes were not counted')
    }
  }
}
