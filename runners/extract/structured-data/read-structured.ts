import type { JSONPathQuery } from 'json-p3'
import type { CompiledClean } from '../clean/treatments.ts'
import { runJsonPath } from '../json/json-path.ts'
import { onTree } from '../on-tree.ts'
import { type Extraction, failed, type Fields, type Page } from '../page.ts'
import { isJsonType, mediaType } from '../text/page-kind.ts'
import type { Tree } from '../tree.ts'
import { structuredData } from './structured-data.ts'
import { wantedBy } from './wanted-parts.ts'

type PathFields = readonly (readonly [name: string, rule: JSONPathQuery])[]

/** Reads fields of what a page states for machines. */
export function readStructured(
  page: Page,
  { fields, clean }: { readonly fields: PathFields; readonly clean: CompiledClean },
): Extraction {
  const type = mediaType(page.contentType)
  if (isJsonType(type))
    return failed(
      'wrong_type',
      `The answer is ${type}; structured data is read from HTML. Remove read_as, so that json_path reads the answer.`,
    )
  const read = (tree: Tree, warnings: string[]) => {
    const found = structuredFields(fields, { tree, url: page.url })
    warnings.push(...found.warnings)
    return found.fields
  }
  return onTree(page, read, { clean })
}

interface Place {
  readonly tree: Tree
  /** Addresses in the page are relative to it. */
  readonly url: string
}

/** Reads fields of what a parsed page states for machines. */
export function structuredFields(
  fields: PathFields,
  { tree, url }: Place,
): { readonly fields: Fields; readonly warnings: readonly string[] } {
  const { parsed, warnings } = structuredData(tree, url, wantedBy(fields.map(([, rule]) => rule)))
  return { fields: fields.map(([name, rule]) => [name, runJsonPath(rule, parsed)]), warnings }
}
