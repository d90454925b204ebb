import type { Static } from 'typebox'
import Type from 'typebox'
import { Dictionary } from '../shape/shape.ts'

/**
 * Headers that the service sets on each webhook. A configured header of the same name is accepted, but the service's
 * value is sent.
 */
export const WEBHOOK_OWN_HEADERS = ['service-signature', 'content-type', 'user-agent'] as const

/**
 * At most 20 headers. A name is an RFC 7230 token of 1-256 characters. A value has at most 2,048 printable ASCII
 * characters and tabs.
 */
export const RequestHeaders = Dictionary(Type.String({ maxLength: 2048 }), {
  maxProperties: 20,
  description: 'Header name to value.',
  rules: ['header_names', 'header_values', 'header_reserved', 'header_case'],
})
export type RequestHeaders = Static<typeof RequestHeaders>
