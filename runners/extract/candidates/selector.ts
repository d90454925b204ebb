import type { Element } from 'domhandler'
import type { Tree } from '../tree.ts'
import { classesOf } from './classes.ts'
import { cssName, cssText, xpathText } from './escape.ts'
import { xpathNameOf } from './xpath-name.ts'

/** One condition for an element. `value` null: the element has the attribute, with any value. */
export type Test =
  | { readonly kind: 'id'; readonly value: string }
  | { readonly kind: 'class'; readonly value: string }
  | { readonly kind: 'attribute'; readonly name: string; readonly value: string | null }
  /** It contains a link to this address. */
  | { readonly kind: 'link'; readonly value: string }

/** One element of a path of elements. */
export interface Step {
  /** It is a child of the element of the step before, and not any descendant. */
  readonly isChild: boolean
  /** The element whose name it must have; null: any name. */
  readonly like: Element | null
  readonly tests: readonly Test[]
  /** Its number among siblings of its name, from 1; null: any. */
  readonly nth: number | null
}

/** Steps from the outside to the element, which is found by the last one. */
export type Selector = readonly Step[]

export function step(given: Partial<Step>): Step {
  return { isChild: false, like: null, tests: [], nth: null, ...given }
}

export function toCss(selector: Selector): string {
  return selector.map((one, place) => `${place === 0 ? '' : one.isChild ? ' > ' : ' '}${cssStep(one)}`).join('')
}

function cssStep({ like, tests, nth }: Step): string {
  const text = [
    like === null ? '' : cssName(like.name),
    ...tests.map(cssTest),
    nth === null ? '' : `:nth-of-type(${nth})`,
  ].join('')
  return text === '' ? '*' : text
}

function cssTest(test: Test): string {
  if (test.kind === 'id') return `#${cssName(test.value)}`
  if (test.kind === 'class') return `.${cssName(test.value)}`
  if (test.kind === 'link') return `:has(a[href=${cssText(test.value)}])`
  return test.value === null ? `[${cssName(test.name)}]` : `[${cssName(test.name)}=${cssText(test.value)}]`
}

export function toXPath(selector: Selector, tree: Tree): string {
  return selector.map((one) => `${one.isChild ? '/' : '//'}${xpathStep(one, tree)}`).join('')
}

function xpathStep({ like, tests, nth }: Step, tree: Tree): string {
  const name = like === null ? '*' : xpathNameOf(like, tree)
  return [name, nth === null ? '' : `[${nth}]`, ...tests.map(xpathTest)].join('')
}

function xpathTest(test: Test): string {
  if (test.kind === 'id') return `[@id=${xpathText(test.value)}]`
  if (test.kind === 'class')
    return `[contains(concat(" ", normalize-space(@class), " "), ${xpathText(` ${test.value} `)})]`
  if (test.kind === 'link') return `[.//a[@href=${xpathText(test.value)}]]`
  return test.value === null ? `[@${test.name}]` : `[@${test.name}=${xpathText(test.value)}]`
}

/** Returns whether an element passes a step, apart from its number and from the steps before. */
export function passes({ like, tests }: Step, element: Element): boolean {
  if (like !== null && (like.name !== element.name || like.namespace !== element.namespace)) return false
  return tests.every((test) => passesTest(test, element))
}

function passesTest(test: Test, element: Element): boolean {
  if (test.kind === 'id') return element.attribs['id'] === test.value
  if (test.kind === 'class') return classesOf(element).includes(test.value)
  // The finder knows it.
  if (test.kind === 'link') return true
  const value = element.attribs[test.name]
  return value !== undefined && (test.value === null || value === test.value)
}
