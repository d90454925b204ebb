/** For a header or an address: printable ASCII without a space. */
export const TOKEN = '^[!-~]+$'
export const TOKEN_TAKES = 'printable ASCII characters without a space'
export const LINE = String.raw`^[^\x00-\x1f\x7f]{1,200}$`
export const LINE_TAKES = '1 to 200 characters on one line'
export const KEY = '^[A-Za-z0-9_-]{1,100}$'
export const KEY_TAKES = '1 to 100 letters, digits, - and _'
export const CHANNEL = 'The channel. Absent: that of the webhook.'
export const SENDER = 'The name of the sender, where the server lets webhooks choose it.'

/** A value out of these. */
export const oneOf = (...choices: readonly string[]) => ({
  pattern: `^(${choices.join('|')})$`,
  takes: choices.join(', '),
  choices,
})
