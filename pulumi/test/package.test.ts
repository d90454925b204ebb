import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAM } from './program.ts'

const INSTALLED = join(PROGRAM, 'node_modules/@tidemark/pulumi')
const REPOSITORY = join(import.meta.dirname, '../..')

test('The package that is published has what a program loads, the chart and the license, and no source', () => {
  expect(readdirSync(INSTALLED).toSorted()).toEqual(['LICENSE', 'README.md', 'chart', 'dist', 'package.json', 'rest'])
  const files = readdirSync(join(INSTALLED, 'dist'), { recursive: true }).map(String)
  expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([])
  const chart = (folder: string) => readdirSync(folder, { recursive: true }).map(String).toSorted()
  expect(chart(join(INSTALLED, 'chart'))).toEqual(chart(join(REPOSITORY, 'charts/tidemark')))
})

test('The package has the version of Tidemark, runs no script when it is installed, and brings no package', () => {
  const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const { version, scripts, dependencies } = read(INSTALLED)
  expect(version).toBe(read(REPOSITORY).version)
  expect(Object.keys(scripts).filter((name) => /install|prepare/.test(name))).toEqual([])
  expect(dependencies).toBeUndefined()
})

test('A program that is an ES module imports the classes by their names', () => {
  const program = `
    import { Monitor, SerpMonitor } from '@tidemark/pulumi/rest'
    import * as cluster from '@tidemark/pulumi'
    process.stdout.write([Monitor, SerpMonitor, cluster.Monitor, cluster.Tidemark].map(({ name }) => name).join(' '))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: PROGRAM })
  expect(said.toString()).toBe('Monitor SerpMonitor Monitor Tidemark')
})

interface Manifest {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies?: object
}
