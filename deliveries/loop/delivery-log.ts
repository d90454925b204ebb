/** What the deliveries have to say goes here; a pino logger fits as it is. */
export interface DeliveryLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
