/**
 * Headers that a request never takes from a user's configuration: those of the connection, and cookies. The API refuses
 * some of them and documents the others, but a stored row may be older than a rule.
 */
export const UNSENT_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'cookie',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
])
