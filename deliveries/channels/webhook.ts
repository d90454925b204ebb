import { sign } from '../../core/signature.ts'
import type { Channel } from './channel.ts'
import { post, type PostOptions } from './post.ts'
import { sentSecrets } from './sent-secrets.ts'
import { webhookHeaders } from './webhook-headers.ts'

/** Makes one signed POST of the stored text. The signed bytes are the bytes that are sent. */
export function createWebhookChannel(options: PostOptions): Channel<'webhook'> {
  return {
    async send({ id, config, payload, secrets }, ctx) {
      if (secrets.length === 0) return { kind: 'impossible', message: NO_SECRET }
      const body = Buffer.from(payload, 'utf8')
      // The process's clock, not the database's: receivers compare it with their own.
      const signature = sign(secrets, Math.floor(Date.now() / 1000), body)
      const { url, headers } = config
      const sent = () => sentSecrets({ url, headers, signature })
      return post(options, { id, url, headers: webhookHeaders(headers, signature), body, secrets: sent }, ctx)
    },
  }
}

const NO_SECRET = 'The monitor has no signing secret, so its webhooks cannot be signed. Rotate its secret, then replay.'
