import { sign } from '../../core/signature.ts'
import { type ChannelRequest, wireOf } from './channel-request.ts'
import { type Channel, channelOf } from './channel.ts'
import { post, type PostOptions } from './post.ts'
import { sentSecrets } from './safe-text.ts'
import { signedHeaders } from './signed-headers.ts'

/** Makes one signed POST of the stored text. The signed bytes are the bytes that are sent. */
export function createWebhookChannel(options: PostOptions): Channel<'webhook'> {
  return channelOf(async ({ id, team, config, payload, secrets, notice = null }) => {
    if (secrets.length === 0) return { kind: 'impossible', message: NO_SECRET }
    // The process's clock, not the database's: receivers compare it with their own.
    const signature = sign(secrets, Math.floor(Date.now() / 1000), payload)
    const { url, headers: configured } = config
    const headers = signedHeaders({ configured, signature, notice })
    const request: ChannelRequest = { method: 'POST', url, headers, body: payload }
    const sent = () => sentSecrets({ url, headers: configured, signature })
    return {
      kind: 'request',
      request,
      send: (ctx) => post(options, { id, team, ...wireOf(request), secrets: sent }, ctx),
    }
  })
}

export const NO_SECRET =
  'The monitor has no signing secret, so its webhooks cannot be signed. Rotate its secret, then replay.'
