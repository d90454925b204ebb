import type { Template } from '../../schema/message/message-template.ts'
import type { NamePath } from '../../schema/message/parse-names.ts'
import type { Json } from '../../schema/shape/json.ts'
import { showValue } from '../text/show-value.ts'

/** The values of a message by their names, step by step. */
export interface MessageValues {
  readonly [name: string]: Json | MessageValues | undefined
}

/**
 * Writes a text with the values of its names. A value that is missing is empty, and null where a string of JSON is its
 * name alone.
 */
export function render({ parts, isJson: isOfJson }: Template, values: MessageValues): string {
  return parts.map((part) => ('raw' in part ? part.raw : written(part.path, part.isAlone))).join('')

  function written(path: NamePath, isAlone: boolean): string {
    if (isAlone) return JSON.stringify(valueAt(values, path))
    const text = textAt(values, path)
    return isOfJson ? JSON.stringify(text).slice(1, -1) : text
  }
}

/** Returns the value of a name as a text. Nothing has no text, and neither has a list without items. */
export function textAt(values: MessageValues, path: NamePath): string {
  const value = valueAt(values, path)
  if (value === null || (Array.isArray(value) && value.length === 0)) return ''
  return typeof value === 'string' ? value : showValue(value)
}

/** Looks a name up. What a value inherits is none of its names. */
function valueAt(values: MessageValues, path: NamePath): Json {
  let value: unknown = values
  for (const { text } of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, text)) return null
    value = Reflect.get(value, text)
  }
  return (value ?? null) as Json
}
