import type { Clean } from '../../../schema/monitor/treatment.ts'
import type { Values } from '../../../schema/shape/json.ts'
import type { Page } from '../page.ts'
import { boundValues } from '../text/truncate.ts'
import { cleanFields } from './clean-fields.ts'
import type { CleanedValues } from './clean-reader.ts'
import { compileClean } from './treatments.ts'

/** What a thread of the extractor runs for `cleanReader`. */
export const read = ({ body, url }: Page, clean: Clean): CleanedValues => {
  const values = JSON.parse(new TextDecoder().decode(body)) as Values
  const { fields, emptied, warnings } = cleanFields(
    Object.entries(values) as [string, never][],
    compileClean(clean),
    url,
  )
  const bounded = boundValues(Object.fromEntries(fields))
  return { values: bounded.values, emptied, warnings: [...warnings, ...bounded.warnings] }
}
