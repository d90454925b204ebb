export interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the address of the API, as in `/v1/monitors`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** A second one would have a second effect: it is not sent again where the first may have arrived. */
  readonly isOnce?: true
}

export interface RemoteAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Whether the request was sent more than once: an earlier one may have had its effect. */
  readonly isRepeated: boolean
}
