import type { DeliveryConfig } from './types.ts'

/** A service that a webhook can name. */
export type ServiceName = NonNullable<Extract<DeliveryConfig, { type: 'webhook' }>['service']>

/** An option of a service, with an example of its value. */
export interface ServiceOption {
  readonly isNeeded?: boolean
  readonly isSecret?: boolean
  /** All of its values, where they are few. */
  readonly choices?: readonly string[]
  readonly takes: string
  readonly says: string
  readonly example: string
}

export interface Service {
  readonly label: string
  /** An example of an address; with `hasOneAddress` the address of everybody. */
  readonly url: string
  readonly hasOneAddress?: boolean
  /** How to get the address. */
  readonly address: string
  readonly takesHeaders: boolean
  readonly options: Readonly<Record<string, ServiceOption>>
}

/** A name that a message can have, which its value replaces. */
export interface MessageName {
  readonly name: string
  readonly of?: 'page' | 'serp'
  readonly means: string
}
