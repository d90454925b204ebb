import { stringify } from 'yaml'
import { isByName, isSection, VALUES, type ValueNode } from './walk-values.ts'

/**
 * Returns the defaults of the chart's values, section by section, from the outermost on. Helm removes a key that is
 * null before templates see it, so they put its default there again. `whole` holds only where the whole section is
 * null: in a section that exists, null means something for those, or removes what Kubernetes need not have.
 */
export const valueDefaults = (): string => `${HEAD}${stringify(sections(VALUES, []), { lineWidth: 0 })}`

const HEAD = '# Generated from schema/chart/chart-values.ts by `npm run gen`.\n'

/** Values for which null is not the default, but nothing. */
const NULL_IS_NOTHING = ['api.replicas', 'worker.replicas']

interface Section {
  readonly path: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly whole: Readonly<Record<string, unknown>>
}

function sections({ properties = {} }: ValueNode, path: readonly string[]): readonly Section[] {
  const entries = Object.entries(properties).filter(([key]) => !isByName(key))
  const leaves = entries.filter(([, node]) => !isSection(node))
  const isWhole = ([key, node]: readonly [string, ValueNode]) =>
    node.type === 'object' || NULL_IS_NOTHING.includes([...path, key].join('.'))
  const defaults = (found: typeof leaves) => Object.fromEntries(found.map(([key, node]) => [key, node.default]))
  return [
    {
      path,
      values: defaults(leaves.filter((leaf) => !isWhole(leaf))),
      whole: defaults(leaves.filter(isWhole)),
    },
    ...entries.filter(([, node]) => isSection(node)).flatMap(([key, node]) => sections(node, [...path, key])),
  ]
}
