import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from './check.ts'
import { faultsOfNode } from './run-tool.ts'

const bin = (path: string): string => join('node_modules', path)

const LINT = ['--deny-warnings', '--report-unused-disable-directives', '-f', 'unix'] as const

const DASHBOARD = 'dashboard'

export const types: Check = {
  name: 'types',
  async faults({ root }) {
    // The dashboard runs in a browser: its files know no Node.
    const projects = ['.', DASHBOARD].map((project) =>
      faultsOfNode(root, [bin('typescript/bin/tsc'), '--noEmit', '-p', project]),
    )
    return (await Promise.all(projects)).flat()
  },
}

export const lint: Check = {
  name: 'lint',
  faults: ({ root }) => faultsOfNode(root, [bin('oxlint/bin/oxlint'), ...LINT]),
}

export const format: Check = {
  name: 'format',
  faults: ({ root }) => faultsOfNode(root, [bin('oxfmt/bin/oxfmt'), '--list-different', '.']),
}

const PULUMI = 'pulumi'

/**
 * Types and lint of the package for Pulumi, which has its own lockfile and its own TypeScript. Who works on the rest
 * need not install it; CI has to.
 */
export const pulumi: Check = {
  name: PULUMI,
  async faults({ root }) {
    const folder = join(root, PULUMI)
    if (!existsSync(join(folder, 'node_modules')))
      return process.env['CI'] === 'true' ? [`run npm ci --prefix ${PULUMI}`] : []
    const project = 'tsconfig.check.json'
    const wrong = await faultsOfNode(folder, [bin('typescript/bin/tsc'), '--noEmit', '-p', project])
    const linter = join(root, bin('oxlint/bin/oxlint'))
    // Under its usual name the linter of the rest would find the file too, and refuse it.
    const untidy = await faultsOfNode(folder, [linter, ...LINT, '-c', 'lint.json', '--tsconfig', project])
    return [...wrong, ...untidy]
  },
}

/** Generated files are committed; they must be the same when they are generated again. */
export const generated: Check = {
  name: 'generated',
  faults: ({ root }) =>
    existsSync(join(root, 'tools/generate.ts')) ? faultsOfNode(root, ['tools/generate.ts', '--check']) : [],
}
