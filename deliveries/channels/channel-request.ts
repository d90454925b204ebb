/** What a channel over HTTP sends: the bytes are those of the text in UTF-8. */
export interface ChannelRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns the parts of a request as undici takes them. */
export const wireOf = ({ method, url, headers, body }: ChannelRequest) => ({
  method,
  url,
  headers: Object.entries(headers).flat(),
  body: Buffer.from(body, 'utf8'),
})
