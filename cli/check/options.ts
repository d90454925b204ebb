import type { OutputOptions } from '../output.ts'

/** The options of `tidemark check`, as commander reads them. */
export interface CheckOptions extends OutputOptions {
  readonly css?: readonly string[]
  readonly xpath?: readonly string[]
  readonly jsonPath?: readonly string[]
  readonly regex?: readonly string[]
  readonly fullPage?: boolean
  readonly browser?: boolean
  readonly waitFor?: string
  /** How a page is read for the rules of JSONPath. */
  readonly readAs?: string
  /** What is done to values, as `field=treatment`. */
  readonly clean?: readonly string[]
  /** Show what rules could read, with its paths. */
  readonly outline?: boolean
  readonly template?: string
  readonly monitor?: string
  /** Which of the manifests of `monitor`. */
  readonly name?: string
  readonly header?: readonly string[]
  /** Show the text of a message of `monitor`. */
  readonly message?: boolean
  readonly watch?: boolean
  /** Seconds between two checks of addresses that are watched. */
  readonly every?: number
}

/** The options that define what to extract. A check has one of them. */
export const RULE_OPTIONS = [
  { option: '--css', key: 'css', method: 'css', what: 'CSS selector', example: 'price=.price' },
  { option: '--xpath', key: 'xpath', method: 'xpath', what: 'XPath expression', example: 'link=//h2[1]/a/@href' },
  { option: '--json-path', key: 'jsonPath', method: 'json_path', what: 'JSONPath', example: 'version=$.data.version' },
  { option: '--regex', key: 'regex', method: 'regex', what: 'JavaScript pattern', example: "stock='(?i:in stock)'" },
] as const
