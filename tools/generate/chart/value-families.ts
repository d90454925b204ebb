import { stringify } from 'yaml'
import { FAMILY, VALUE_FAMILIES, type ValueFamily, type ValueFamilyName } from '../../../schema/chart/value-families.ts'
import { PARENT_VALUES, valueLeaves } from './walk-values.ts'

/** Returns what the chart's templates read to refuse values in words: each family, with the paths of its values. */
export const valueFamilies = (): string =>
  HEAD +
  stringify(
    Object.entries<ValueFamily>(VALUE_FAMILIES).map(([name, { pattern, words, neverEmpty }]) => ({
      pattern,
      words,
      ...(neverEmpty && { neverEmpty }),
      paths: familyPaths().flatMap(([path, family]) => (family === name ? [path.join('/')] : [])),
    })),
    { lineWidth: 110 },
  )

const HEAD =
  '# Generated from schema/chart/value-families.ts by `npm run gen`. In a path, * is each value, and @ each key.\n'

function familyPaths(): readonly (readonly [path: readonly string[], family: ValueFamilyName])[] {
  return [...valueLeaves(), ...valueLeaves(PARENT_VALUES)].flatMap(({ path, node: { [FAMILY]: family } }) => {
    if (family === undefined) return []
    if (typeof family === 'string') return [[path, family] as const]
    return Object.entries(family).map(([key, own]) => [[...path, ...key.split('.')], own] as const)
  })
}
