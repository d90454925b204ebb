import { MASK, maskedAddress } from '../schema/monitor/mask.ts'
import { WEBHOOK_OWN_HEADERS } from '../schema/monitor/request-headers.ts'
import type { DeliveryRequest } from '../schema/run/delivery-test.ts'
import { NOTICE_HEADER } from '../schema/run/notice.ts'
import type { Prepared } from './channels/channel.ts'

const OWN: ReadonlySet<string> = new Set([...WEBHOOK_OWN_HEADERS, NOTICE_HEADER.toLowerCase()])

/**
 * Returns what an attempt sends, for people: with a mask in place of all that follows the host of an address, and of
 * each value of a header or an option that is not Tidemark's own. A body that the user has written is shown to people
 * who may write only.
 */
export function shownRequest(prepared: Prepared, { mayWrite }: { readonly mayWrite: boolean }): DeliveryRequest {
  switch (prepared.kind) {
    case 'request': {
      const { method, url, headers, body } = prepared.request
      const shown = valuesOf(headers, (value, name) => (OWN.has(name.toLowerCase()) ? value : MASK))
      const isHidden = prepared.isOwnBody === true && !mayWrite
      const shownBody = isHidden ? MASK : (prepared.shownBody?.() ?? body)
      const warnings = prepared.warnings?.() ?? []
      return {
        via: 'http',
        method,
        url: maskedAddress(url),
        headers: shown,
        body: shownBody,
        ...(warnings.length > 0 && { warnings: [...warnings] }),
      }
    }
    case 'mail': {
      const { to, subject, text, html } = prepared.mail
      return { via: 'mail', to, subject, text, html }
    }
    case 'impossible':
      return { via: 'none', message: prepared.message }
  }
}

/** Returns the same without the signature: with it, anybody can send the body once more. */
export const withoutSignature = (shown: DeliveryRequest): DeliveryRequest =>
  shown.via === 'http'
    ? { ...shown, headers: valuesOf(shown.headers, (value) => value.replaceAll(SIGNATURE, `v1=${MASK}`)) }
    : shown

const SIGNATURE = /\bv1=[0-9a-f]{64}\b/g

type Headers = Readonly<Record<string, string>>

const valuesOf = (headers: Headers, shown: (value: string, name: string) => string): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]): [string, string] => [name, shown(value, name)]))
