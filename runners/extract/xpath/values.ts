import { textOf } from '../tree.ts'
import type { XNode } from './nodes.ts'

/** A value of XPath 1.0. A node-set is an array in document order without repeats. */
export type XValue = string | number | boolean | readonly XNode[]

export function isNodes(value: XValue): value is readonly XNode[] {
  return typeof value === 'object'
}

export function stringOfNode(node: XNode): string {
  return node.type === 'attribute' ? node.value : textOf(node)
}

export function toText(value: XValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberToText(value)
  if (typeof value === 'boolean') return String(value)
  const [first] = value
  return first === undefined ? '' : stringOfNode(first)
}

/** Decimal notation without an exponent, as §4.2 requires. */
function numberToText(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  if (Number.isInteger(value)) return BigInt(value).toString()
  const [mantissa = '', exponent = '0'] = text.split('e-')
  const sign = mantissa.startsWith('-') ? '-' : ''
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${mantissa.replace(/[-.]/g, '')}`
}

const NUMBER = /^[ \t\r\n]*(-?(?:\d+(?:\.\d*)?|\.\d+))[ \t\r\n]*$/

/** Stricter than JavaScript: no exponent, no plus, and the empty string is NaN. */
export function textToNumber(text: string): number {
  const digits = NUMBER.exec(text)?.[1]
  return digits === undefined ? Number.NaN : Number(digits)
}

export function toNumber(value: XValue): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return textToNumber(toText(value))
}

export function toBoolean(value: XValue): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0 && !Number.isNaN(value)
  return value.length > 0
}
