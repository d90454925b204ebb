/** An option of a service. */
export interface ServiceOption {
  readonly isNeeded?: true
  /** It is masked where secrets are. */
  readonly isSecret?: true
  /** Two destinations that differ in it are two destinations. */
  readonly isAddress?: true
  /** The pace of the service is one for each value of it. */
  readonly isPaced?: true
  /** The values that it takes, in the syntax that JavaScript and RE2 share. */
  readonly pattern: string
  /** All values that it takes, where they are few. */
  readonly choices?: readonly string[]
  /** What `pattern` means: `telegram takes …`. */
  readonly takes: string
  readonly says: string
  /** For the manual. */
  readonly example: string
}

/** A service that takes a message by one request, as it documents it. */
export interface DeliveryService {
  readonly label: string
  readonly options: Readonly<Record<string, ServiceOption>>
  /** The most of the text of a message. */
  readonly limit: { readonly most: number; readonly unit: 'characters' | 'bytes' }
  /** Milliseconds between two messages to one address and one value of what is paced. Null: it documents none. */
  readonly everyMs: number | null
  /** It can be one's own server, which may want headers, such as those of a proxy in front of it. */
  readonly takesHeaders: boolean
  /** An example. */
  readonly url: string
  /** All users send to `url`. Otherwise it is an example. */
  readonly hasOneAddress?: true
  /** How to get the address. */
  readonly address: string
  /** What a message there cannot show or do. */
  readonly lacks: string
}
