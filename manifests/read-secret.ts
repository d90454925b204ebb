import { isUtf8 } from 'node:buffer'
import { decodedSecret, secretText } from '../core/custom-resource/secret-text.ts'
import { unknownKey } from '../schema/validation/issue.ts'
import { identityOf } from './document-identity.ts'
import { type Fault, type Found, IN_QUOTES, isObject } from './found.ts'
import { type Part, placeAt } from './places.ts'

const KEYS = ['apiVersion', 'kind', 'metadata', 'type', 'immutable', 'data', 'stringData']

export function readSecret(part: Part, found: Found, fault: Fault): void {
  const value = part.value as Readonly<Record<string, unknown>>
  const before = found.faults.length
  for (const key of Object.keys(value)) if (!KEYS.includes(key)) fault([key], unknownKey('', key, KEYS).message)
  const identity = identityOf(part, found, fault)
  const values: Record<string, string> = {}
  for (const key of ['data', 'stringData'] as const) {
    const given = value[key] ?? {}
    if (!isObject(given)) {
      fault([key], 'must be an object')
      continue
    }
    for (const [name, text] of Object.entries(given))
      if (typeof text !== 'string') fault([key, name], IN_QUOTES)
      else if (key === 'data' && !isBase64(text)) fault([key, name], 'must be base64: write plain text in stringData')
      else if (key === 'data' && !isUtf8(Buffer.from(text, 'base64'))) fault([key, name], 'must be base64 of a text')
      else values[name] = key === 'data' ? decodedSecret(text) : secretText(text)
  }
  if (found.faults.length > before) return
  const { namespace, name } = identity
  found.secrets.push({ namespace, name, values, place: placeAt(part, []) })
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)
