import { stringify } from 'yaml'
import { isByName, isSection, VALUES, type ValueNode } from './walk-values.ts'

const WIDTH = 118

/** Returns `values.yaml` of the chart: every value with its default and its meaning. */
export const valuesYaml = (): string => `${HEAD}\n${sections(VALUES, 0)}`

const HEAD = '# Generated from schema/chart/chart-values.ts by `npm run gen`. A key that is not here is refused.'

function sections({ properties = {} }: ValueNode, depth: number): string {
  return Object.entries(properties)
    .map(([key, node]) => {
      const lines = comment(node.description ?? '', depth)
      const own = isSection(node) && !isByName(key) ? `${key}:\n${sections(node, depth + 1)}` : leaf(key, node, depth)
      return `${depth === 0 ? '\n' : ''}${lines}${indent(depth)}${own}`
    })
    .join('')
}

function leaf(key: string, node: ValueNode, depth: number): string {
  const text = stringify({ [key]: isByName(key) ? {} : node.default }, { lineWidth: 0 })
  return (
    text
      .trimEnd()
      .split('\n')
      .join(`\n${indent(depth)}`) + '\n'
  )
}

const indent = (depth: number): string => '  '.repeat(depth)

/** Breaks a description into lines of a comment. */
function comment(text: string, depth: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > WIDTH - 2 * depth - 2) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((one) => `${indent(depth)}# ${one}\n`).join('')
}
