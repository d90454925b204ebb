import { printableDocument } from '../core/printable.ts'

/** A line is broken behind this column. */
const WIDTH = 110
const NAME = /^[A-Za-z_$][\w$]*$/

/**
 * Returns a value of JSON as a TypeScript literal, in the manner of a formatter. `expression` returns the code that
 * stands in place of a text; null: the text itself does.
 */
export function typescriptLiteral(value: unknown, expression: (text: string) => string | null, indent = ''): string {
  if (typeof value === 'string') return expression(value) ?? textLiteral(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const parts = isList
    ? value.map((item: unknown) => typescriptLiteral(item, expression, inner))
    : Object.entries(value).map(([key, item]) => `${keyLiteral(key)}: ${typescriptLiteral(item, expression, inner)}`)
  if (parts.length === 0) return open + close
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  if (indent.length + line.length <= WIDTH && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

const textLiteral = (text: string): string =>
  printableDocument(/['\\\p{Cc}]/u.test(text) || !text.isWellFormed() ? JSON.stringify(text) : `'${text}'`)

/** In a literal, the plain name would set the prototype. */
const keyLiteral = (key: string): string =>
  key === '__proto__' ? `['__proto__']` : NAME.test(key) ? key : textLiteral(key)
