import type { Json } from '../../../schema/shape/json.ts'
import { dictionary } from '../dictionary.ts'

/** Collects values by their names. A name with one value gives it, a name with several their list, in order. */
export class NamedValues {
  readonly #lists = new Map<string, Json[]>()

  add(name: string, value: Json): void {
    const known = this.#lists.get(name)
    if (known === undefined) this.#lists.set(name, [value])
    else known.push(value)
  }

  toObject(): { readonly [name: string]: Json } {
    // Without a prototype, so that a page may name a property `__proto__`.
    const object = dictionary<Json>()
    for (const [name, values] of this.#lists) object[name] = values.length === 1 ? (values[0] ?? null) : values
    return object
  }
}
