import type { Element } from 'domhandler'
import type { Json } from '../../../schema/shape/json.ts'
import { parseJson, type ParsedJson } from '../json/parse-json.ts'
import { prescanJson } from '../json/prescan-json.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { textOf } from '../tree.ts'
import { mendedJson } from './mended-json.ts'
import { LEFT_OUT, STRUCTURED_LIMITS } from './structured-limits.ts'

/** The JSON of a script element. */
export interface ScriptJson extends ParsedJson {
  readonly text: string
}

/** Parses the scripts of a page. All of them together have as many values as one JSON answer. */
export class ScriptParser {
  #left: number = EXTRACT_LIMITS.jsonValues
  #mendable: number = STRUCTURED_LIMITS.mendedChars

  /** Returns the JSON of a script, or why it is left out. Null: it is empty. `which` begins a sentence. */
  parse(script: Element, which: string): ScriptJson | string | null {
    const text = textOf(script)
    if (text.trim() === '') return null
    const excess = prescanJson(text) ?? this.#spend(text)
    if (excess !== null) return LEFT_OUT.excess(which, excess)
    return parsedOf(text) ?? this.#mended(text) ?? LEFT_OUT.notJson(which)
  }

  #mended(text: string): ScriptJson | null {
    if (text.length > this.#mendable) return null
    this.#mendable -= text.length
    return parsedOf(mendedJson(text))
  }

  /** Commas and brackets, so an upper bound: those inside strings are counted too. */
  #spend(text: string): string | null {
    let values = 1
    for (let at = 0; at < text.length; at += 1) {
      const char = text.charCodeAt(at)
      if (char === 44 || char === 91 || char === 123) values += 1
    }
    if (values > this.#left)
      return `The scripts of the page have more than ${EXTRACT_LIMITS.jsonValues.toLocaleString('en')} values.`
    this.#left -= values
    return null
  }
}

function parsedOf(text: string): ScriptJson | null {
  // What was mended may have other brackets than what was scanned.
  if (prescanJson(text) !== null) return null
  try {
    return { ...parseJson(text), text }
  } catch {
    return null
  }
}

/** A number that would be shown in another way than it is written. */
const ENDS_IN_ZERO = /\d\.\d*0(?!\d)/

/** Returns the JSON with numbers as texts, as they are written: 19.90 is "19.90". */
export function asWritten({ text, exact }: ScriptJson): Json {
  if (!ENDS_IN_ZERO.test(text)) return exact
  return JSON.parse(text, (_key, value: Json, context?: { readonly source?: string }) =>
    typeof value === 'number' ? (context?.source ?? value) : value,
  ) as Json
}
