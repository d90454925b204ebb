import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT_FILE_SYSTEMS } from '../../images/root-file-systems.ts'
import { PUBLIC_NAMES } from '../../schema/public-names.ts'
import { installWays } from '../../tools/generate/install-ways.ts'
import { DOC_BLOCKS } from '../support/docs/doc-blocks.ts'

const ROOT = join(import.meta.dirname, '../..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const linesOf = (isPublished: boolean): string[] =>
  installWays({ ...PUBLIC_NAMES, published: isPublished }).flatMap(({ lines }) => lines)

describe('The ways to install', () => {
  test('begin with the clone and the folder of a release until releases are published', () => {
    const [first, second] = installWays({ ...PUBLIC_NAMES, published: false })
    expect([first?.title, second?.title]).toEqual(['A clone', 'The folder of a release'])
  })

  test('begin with the ways of one line once they are, and end with the clone', () => {
    const ways = installWays({ ...PUBLIC_NAMES, published: true })
    expect([ways[0]?.title, ways.at(-1)?.title]).toEqual(['npm', 'A clone'])
    expect(ways.map(({ title }) => title)).not.toContain('The folder of a release')
  })

  test('name nothing that nobody has published', () => {
    const { npm, images, charts, repository } = PUBLIC_NAMES
    for (const name of [images, charts, repository]) expect(linesOf(false).join('\n')).not.toContain(name)
    expect(linesOf(false)).not.toContain(`npm install --global ${npm.command}`)
    expect(linesOf(true)).toContain(`npm install --global ${npm.command}`)
    for (const name of [images, charts, repository]) expect(linesOf(true).join('\n')).toContain(name)
    const pulumi = JSON.parse(readFileSync(join(ROOT, 'pulumi/package.json'), 'utf8')) as { readonly name: string }
    expect(pulumi.name).toBe(npm.pulumi)
  })

  test('name images that are built', () => {
    for (const isPublished of [true, false]) {
      const docker = linesOf(isPublished).filter((line) => line.startsWith('docker '))
      const named = docker.flatMap((line) => line.match(/(?<=[/ ])tidemark(?:-[a-z]+)?(?=[:-]\d)/g) ?? [])
      expect(named).toContain('tidemark')
      for (const name of named) expect(Object.keys(ROOT_FILE_SYSTEMS)).toContain(name)
    }
  })

  test('are those of the README, the first one first', () => {
    const [first] = installWays(PUBLIC_NAMES)
    const blocks = Array.from(README.matchAll(/^```sh\n(.*?)^```$/gms), ([, text = '']) => text.trim())
    expect(first?.lines).toEqual(blocks.slice(0, first?.lines.length))
    expect(README.indexOf('docs/install.md')).toBeGreaterThan(0)
  })

  test('are the only ones that pages name while nothing is published', () => {
    const { npm, images } = PUBLIC_NAMES
    const blocks = DOC_BLOCKS.map(({ text }) => text).join('\n')
    expect(PUBLIC_NAMES.published || !blocks.includes(images)).toBe(true)
    expect(
      PUBLIC_NAMES.published || !new RegExp(`npm (?:i|install) (?:-\\S+ )*${npm.command}$`, 'm').test(blocks),
    ).toBe(true)
  })
})
