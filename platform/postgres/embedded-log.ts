/** The log of the embedded server. A pino logger has this interface. */
export interface EmbeddedLog {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
