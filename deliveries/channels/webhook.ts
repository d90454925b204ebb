import { sign } from '../../core/signature.ts'
import { UNSENT_HEADERS } from '../../egress/unsent-headers.ts'
import { WEBHOOK_OWN_HEADERS } from '../../schema/monitor/request-headers.ts'
import { NOTICE_HEADER } from '../../schema/run/notice.ts'
import { type ChannelRequest, wireOf } from './channel-request.ts'
import { type Channel, channelOf } from './channel.ts'
import { post, type PostOptions } from './post.ts'
import { sentSecrets } from './safe-text.ts'

/** Makes one signed POST of the stored text. The signed bytes are the bytes that are sent. */
export function createWebhookChannel(options: PostOptions): Channel<'webhook'> {
  return channelOf(async ({ id, team, config, payload, secrets, notice = null }) => {
    if (secrets.length === 0) return { kind: 'impossible', message: NO_SECRET }
    // The process's clock, not the database's: receivers compare it with their own.
    const signature = sign(secrets, Math.floor(Date.now() / 1000), payload)
    const { url, headers } = config
    const request: ChannelRequest = {
      method: 'POST',
      url,
      headers: webhookHeaders(headers, signature, notice),
      body: payload,
    }
    const sent = () => sentSecrets({ url, headers, signature })
    return {
      kind: 'request',
      request,
      send: (ctx) => post(options, { id, team, ...wireOf(request), secrets: sent }, ctx),
    }
  })
}

const NO_SECRET = 'The monitor has no signing secret, so its webhooks cannot be signed. Rotate its secret, then replay.'

/** Headers that are never sent, even if a user configured them: Tidemark's own and those that no request takes. */
const RESERVED: ReadonlySet<string> = new Set([...WEBHOOK_OWN_HEADERS, ...UNSENT_HEADERS])

/** Returns the headers of a webhook: the configured ones, then Tidemark's own. */
function webhookHeaders(
  configured: Readonly<Record<string, string>> | undefined,
  signature: string,
  notice: string | null,
): Record<string, string> {
  const isOurs = (name: string) => RESERVED.has(name) || (notice !== null && name === NOTICE_HEADER.toLowerCase())
  const theirs = Object.entries(configured ?? {}).filter(([name]) => !isOurs(name.toLowerCase()))
  return {
    ...Object.fromEntries(theirs),
    'Service-Signature': signature,
    'User-Agent': 'Service/1.0',
    'Content-Type': 'application/json',
    ...(notice !== null && { [NOTICE_HEADER]: `notice.${notice}` }),
  }
}
