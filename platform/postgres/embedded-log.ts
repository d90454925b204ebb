/** What the embedded server has to say goes here; a pino logger fits as it is. */
export interface EmbeddedLog {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
