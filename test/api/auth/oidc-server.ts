import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** Who is signed in at the provider. */
interface Person {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

/** A provider on loopback that signs in whom the test names, and asks nothing. */
interface OidcServer extends AsyncDisposable {
  readonly issuer: string
  person: Person
  /** Changes the claims of id tokens before they are signed. */
  forge: ((claims: Record<string, unknown>) => Record<string, unknown>) | null
  /** Signs id tokens with a key that the provider does not publish. */
  hasWrongKey: boolean
  /** Follows an address of the provider, as a browser does. Returns the address of the callback. */
  signIn(address: string): Promise<URL>
}

export const CLIENT = { clientId: 'tidemark', clientSecret: 'a secret of the client' }

export async function openOidcServer(callback: string): Promise<OidcServer> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const wrong = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state = { person: { sub: randomUUID() } as Person, forge: null as OidcServer['forge'], hasWrongKey: false }
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [callback] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' } as never] },
    cookies: { keys: ['a key of the tests'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ ...state.person, sub }) }),
  })
  provider.use(async (ctx, next) => {
    if (ctx.path.startsWith('/interaction/')) {
      ctx.respond = false
      return interact(provider, state.person.sub, ctx.req, ctx.res)
    }
    await next()
    const body = ctx.body as { id_token?: string } | undefined
    if (ctx.path !== '/token' || !body?.id_token || (!state.forge && !state.hasWrongKey)) return
    const [, payload = ''] = body.id_token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
    body.id_token = jwt(state.forge?.(claims) ?? claims, state.hasWrongKey ? wrong : privateKey)
  })
  const handle = provider.callback()
  server.on('request', (request, response) => void handle(request, response))
  return Object.assign(state, {
    issuer,
    async signIn(address: string) {
      const cookies = new Map<string, string>()
      for (let url = new URL(address), hop = 0; hop < 10; hop += 1) {
        if (url.href.startsWith(callback)) return url
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
        for (const line of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        const location = answer.headers.get('location')
        if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`)
        url = new URL(location, url)
      }
      throw new Error('the provider sends the browser round and round')
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

type Interaction = Parameters<Provider['interactionDetails']>

async function interact(
  provider: Provider,
  accountId: string,
  req: Interaction[0],
  res: Interaction[1],
): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(req, res)
  if (prompt.name === 'login') return provider.interactionFinished(req, res, { login: { accountId } })
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
  grant.addOIDCScope('openid email profile')
  return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } })
}

function jwt(claims: object, key: Parameters<ReturnType<typeof createSign>['sign']>[0]): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`
}
