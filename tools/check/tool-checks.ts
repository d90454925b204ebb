import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from './check.ts'
import { faultsOfNode } from './run-tool.ts'

const bin = (path: string): string => join('node_modules', path)

export const types: Check = {
  name: 'types',
  faults: ({ root }) => faultsOfNode(root, [bin('typescript/bin/tsc'), '--noEmit', '-p', '.']),
}

export const lint: Check = {
  name: 'lint',
  faults: ({ root }) =>
    faultsOfNode(root, [
      bin('oxlint/bin/oxlint'),
      '--deny-warnings',
      '--report-unused-disable-directives',
      '-f',
      'unix',
    ]),
}

export const format: Check = {
  name: 'format',
  faults: ({ root }) => faultsOfNode(root, [bin('oxfmt/bin/oxfmt'), '--list-different', '.']),
}

/** Generated files are committed; they must be the same when they are generated again. */
export const generated: Check = {
  name: 'generated',
  faults: ({ root }) =>
    existsSync(join(root, 'tools/generate.ts')) ? faultsOfNode(root, ['tools/generate.ts', '--check']) : [],
}
