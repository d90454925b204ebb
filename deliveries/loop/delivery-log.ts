/** The log of the deliveries; a pino logger fits without an adapter. */
export interface DeliveryLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
