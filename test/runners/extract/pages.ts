import { extract } from '../../../runners/extract/extract.ts'
import type { Extraction, Page } from '../../../runners/extract/page.ts'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import type { RunFaultCode } from '../../../schema/run/run-fault.ts'
import type { Values } from '../../../schema/shape/json.ts'

export function page(body: string | Uint8Array, contentType: string | null): Page {
  return { body: typeof body === 'string' ? Buffer.from(body) : body, contentType, url: 'http://page.example/' }
}

export function html(body: string | Uint8Array): Page {
  return page(body, 'text/html; charset=utf-8')
}

export function xml(body: string | Uint8Array): Page {
  return page(body, 'application/xml')
}

export function json(value: unknown): Page {
  return page(JSON.stringify(value), 'application/json')
}

/** The value of one field. */
export function one(from: Page, method: 'css' | 'xpath' | 'json_path' | 'regex', rule: string): unknown {
  const extraction = extract(from, { method, fields: { it: rule } })
  if (!extraction.ok) throw new Error(`${extraction.fault.code}: ${extraction.fault.message}`)
  return extraction.values['it']
}

export function values(extraction: Extraction): Values {
  if (!extraction.ok) throw new Error(`${extraction.fault.code}: ${extraction.fault.message}`)
  return extraction.values
}

export function faultCode(extraction: Extraction): RunFaultCode | 'none' {
  return extraction.ok ? 'none' : extraction.fault.code
}

export function css(rule: string): ExtractConfig {
  return { method: 'css', fields: { it: rule } }
}
