import { afterAll } from 'vitest'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import type { AgentOptions } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { createResolver } from '../../../egress/resolve.ts'
import type { FetchPorts, FetchRequest, Fetched } from '../../../runners/fetch/fetched.ts'
import { fetchStatic } from '../../../runners/fetch/static-fetch.ts'
import { fixture } from '../../support/network/raw-server.ts'

/** Loopback is open; `*.test` leads there, `private.example` to a private address, `gone.example` nowhere. */
function testAgent(options: AgentOptions = {}) {
  const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  const resolver = createResolver({
    lookup: (name) => {
      if (name.endsWith('.test')) return Promise.resolve([{ address: '127.0.0.1', family: 4 }])
      if (name === 'private.example') return Promise.resolve([{ address: '10.0.0.1', family: 4 }])
      return Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }))
    },
  })
  const agent = createGuardedAgent(policy, { resolver, ca: fixture('authority.pem'), ...options })
  afterAll(() => agent.destroy())
  return agent
}

/** `fetchStatic` bound to an agent, with short deadlines. */
export function fetcher(options: AgentOptions = {}) {
  const agent = testAgent(options)
  return (url: string, request: Partial<FetchRequest> = {}, ports: Partial<FetchPorts> = {}): Promise<Fetched> =>
    fetchStatic(
      { url, headers: null, conditional: null, ...request },
      { agent, signal: null, deadlineMs: 3_000, ...ports },
    )
}

/** A header's value in a raw request, or null. */
export function sent(request: string | undefined, name: string): string | null {
  return new RegExp(`^${name}: (.*)\r$`, 'im').exec(request ?? '')?.[1] ?? null
}
