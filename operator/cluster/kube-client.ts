import { KubeConfig } from '@kubernetes/client-node'
import type { IncomingMessage } from 'node:http'
import { request as plainRequest } from 'node:http'
import { Agent, request, type RequestOptions } from 'node:https'
import { ExplainedError } from '../../core/explained-error.ts'
import type { KubeStatus } from './kube-object.ts'

/** A request to the API server. */
interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path with its query, from `/api`. */
  readonly path: string
  readonly body?: unknown
  /** Default `application/json`. A patch needs the type of the patch. */
  readonly contentType?: string
  /** Default `application/json`. */
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the whole answer has arrived. Default 30,000. */
  readonly timeoutMs?: number
}

/** An answer of the API server. */
export interface KubeAnswer<T> {
  readonly status: number
  /** The object of an answer below 300; otherwise a `Status`, whose message is for people. */
  readonly body: T & KubeStatus
  /** The pause that a 429 or 503 asks for. Null: none. */
  readonly retryAfterMs: number | null
}

/** The API server did not answer as the caller needs it. */
export class KubeError extends ExplainedError {
  override readonly name = 'KubeError'
  readonly status: number
  readonly reason: string
  readonly retryAfterMs: number | null

  constructor(what: string, { status, body, retryAfterMs }: KubeAnswer<unknown>) {
    super(`${what}: ${status} ${body?.message ?? body?.reason ?? ''}`.trim())
    this.status = status
    this.reason = body?.reason ?? ''
    this.retryAfterMs = retryAfterMs
  }
}

/** There is no cluster to call, or its configuration cannot be read. */
class KubeConfigError extends ExplainedError {
  override readonly name = 'KubeConfigError'
}

/** Calls the API server of one cluster, with the credentials of a kubeconfig or of the pod. */
export interface KubeClient {
  /** The address of the API server. */
  readonly server: string
  /** The namespace of the kubeconfig's context, or of the pod. */
  readonly namespace: string
  /** Resolves with any answer. Rejects when there is none: refused, reset, or too late. */
  call<T = unknown>(request: KubeRequest): Promise<KubeAnswer<T>>
  /** Opens an answer that does not end, and resolves at its headers. */
  stream(path: string, signal: AbortSignal): Promise<IncomingMessage>
  close(): void
}

/** The type of a patch that replaces the keys that it has, and removes those that are null. */
export const JSON_PATCH = 'application/json-patch+json'
export const MERGE_PATCH = 'application/merge-patch+json'
/** An answer without spec and status. */
export const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

interface Credentials {
  readonly options: RequestOptions
  readonly agent: RequestOptions['agent']
}

const ANSWER_MS = 30_000
/** Credentials are asked for again after this: a token of a pod is renewed within the hour. */
const CREDENTIALS_MS = 1_000
/** The API server's own limit of an object is 1.5 MiB; a page of a list is larger. */
const MAX_BYTES = 256 * 1024 * 1024

/**
 * Returns a client from a kubeconfig file, or from the usual places: `$KUBECONFIG`, `~/.kube/config`, or the service
 * account of the pod. The library reads the configuration and gives the credentials (tokens, certificates, programs,
 * OIDC). The requests are made here, because its own watch ends on the first fault and its answers lose the delay that
 * a 429 asks for.
 */
export function createKubeClient(kubeconfig?: string): KubeClient {
  const config = loadedConfig(kubeconfig)
  const cluster = config.getCurrentCluster()
  if (!cluster) throw new KubeConfigError('there is no cluster: set KUBECONFIG, or run in a pod with a service account')
  const base = new URL(cluster.server)
  const agents = createAgents(cluster.proxyUrl !== undefined)
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? 'default'

  let applied: { readonly options: Promise<Credentials>; readonly until: number } | null = null
  /** The library makes a new agent each time, so it is not asked for each of many requests. */
  function credentials(): Promise<Credentials> {
    const now = performance.now()
    if (!applied || applied.until < now) {
      const options: RequestOptions = {}
      const asked = config.applyToHTTPSOptions(options).then(() => ({ options, agent: agents.of(options) }))
      applied = { options: asked, until: now + CREDENTIALS_MS }
      asked.catch(() => (applied = null))
    }
    return applied.options
  }

  async function open({ method, path, body, contentType, accept, signal }: KubeRequest): Promise<IncomingMessage> {
    const { options, agent } = await credentials()
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      ...(options.headers as Record<string, string> | undefined),
      ...headersOf(text, contentType, accept),
    }
    const url = new URL(base.pathname.replace(/\/$/, '') + path, base)
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const send = url.protocol === 'http:' ? plainRequest : request
    const sent = send(url, {
      ...options,
      method,
      signal,
      headers,
      agent: url.protocol === 'http:' ? undefined : agent,
    })
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end(text)
    return promise
  }

  return {
    server: cluster.server,
    namespace,
    async call<T>(asked: KubeRequest): Promise<KubeAnswer<T>> {
      const late = AbortSignal.timeout(asked.timeoutMs ?? ANSWER_MS)
      const signal = asked.signal ? AbortSignal.any([asked.signal, late]) : late
      const response = await open({ ...asked, signal })
      return answerOf(response, await textOf(response))
    },
    stream: (path, signal) => open({ method: 'GET', path, signal }),
    close: () => agents.close(),
  }
}

function headersOf(text: string | undefined, contentType = 'application/json', accept = 'application/json') {
  const about = { accept, 'user-agent': 'tidemark-operator' }
  if (text === undefined) return about
  // Node says nothing of the body of a DELETE, and the server would read it as the beginning of the next request.
  return { ...about, 'content-type': contentType, 'content-length': Buffer.byteLength(text) }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`an answer of the API server has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Returns the answer of a response whose body was read. */
export function answerOf<T>({ statusCode = 0, headers }: IncomingMessage, text: string): KubeAnswer<T> {
  const body = parsed(text)
  const seconds = Number(headers['retry-after'] ?? body.details?.retryAfterSeconds ?? Number.NaN)
  return {
    status: statusCode,
    body: body as T & KubeStatus,
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 300) * 1_000 : null,
  }
}

function loadedConfig(kubeconfig: string | undefined): KubeConfig {
  const config = new KubeConfig()
  try {
    if (kubeconfig === undefined) config.loadFromDefault()
    else config.loadFromFile(kubeconfig)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new KubeConfigError(`the kubeconfig cannot be read: ${reason.split('\n', 1)[0] ?? ''}`)
  }
  return config
}

/** A proxy in between may answer with its own page. */
function parsed(text: string): KubeStatus {
  try {
    const body: unknown = JSON.parse(text)
    return body !== null && typeof body === 'object' ? body : { message: text.slice(0, 200) }
  } catch {
    return { message: text.slice(0, 200) }
  }
}

/** Keeps one agent with open connections for as long as the credentials of TLS stay the same. */
function createAgents(hasProxy: boolean) {
  let known: { readonly key: string; readonly agent: Agent } | null = null
  return {
    of(options: RequestOptions): RequestOptions['agent'] {
      // The library's agent knows the way through a proxy.
      if (hasProxy) return options.agent
      const { ca, cert, key, rejectUnauthorized, servername, passphrase } = options
      const identity = JSON.stringify([ca, cert, key, rejectUnauthorized, servername].map(String))
      if (known?.key === identity) return known.agent
      known?.agent.destroy()
      const given = { ca, cert, key, rejectUnauthorized, servername, passphrase }
      const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      const agent = new Agent({ keepAlive: true, ...set })
      known = { key: identity, agent }
      return agent
    },
    close: () => known?.agent.destroy(),
  }
}
