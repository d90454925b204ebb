import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { sectionOf } from '../../tools/release/changelog.ts'
import { withImages } from '../../tools/release/chart.ts'
import { composeOf } from '../../tools/release/compose.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (path: string) => readFile(join(ROOT, path), 'utf8')
const { version } = JSON.parse(await textOf('package.json')) as { readonly version: string }
const image = (name: string) => ({ repository: `registry.example/${name}`, digest: `sha256:${name.length}` })

describe('The section of a version in a changelog', () => {
  const TEXT = '# Changelog\n\n## 0.2.0\n\n- New.\n\n### Fixed\n\n- Old.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n'

  test('ends at the next version, or at the end', () => {
    expect(sectionOf(TEXT, '0.2.0')).toBe('- New.\n\n### Fixed\n\n- Old.')
    expect(sectionOf(TEXT, '0.1.0')).toBe('- First.')
  })

  test('is null where there is none', () => {
    expect(sectionOf(TEXT, '0.1')).toBeNull()
  })
})

describe('The chart of a release', () => {
  test('names both images by digest, and keeps every other value and comment', async () => {
    const values = await textOf('charts/tidemark/values.yaml')
    const changed = withImages(values, { service: image('service'), runner: image('the-runner') })
    const { image: service, runner } = parse(changed) as {
      readonly image: object
      readonly runner: { readonly image: object }
    }
    expect(service).toMatchObject(image('service'))
    expect(runner.image).toMatchObject(image('the-runner'))
    const linesOf = (text: string) => text.split('\n').filter((line) => !/^ *(?:repository|digest): /.test(line))
    expect(linesOf(changed)).toEqual(linesOf(values))
  })
})

describe('The Compose file of a release', () => {
  test('names our images by digest, that of Postgres as before, and the profile beside it', async () => {
    const text = await textOf('compose.yaml')
    const names = ['tidemark', 'tidemark-service', 'tidemark-runner']
    const images = Object.fromEntries(names.map((name) => [name, image(name)]))
    const { services } = parse(composeOf(text, version, images), { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly image: string; readonly security_opt?: readonly string[] }>>
    }
    expect(services['postgres']?.image).toMatch(/^postgres:\d+$/)
    expect(services['runner']?.image).toBe('registry.example/tidemark-runner@sha256:15')
    expect(services['runner']?.security_opt).toContain('seccomp=./chromium-seccomp.json')
    for (const { image: name } of Object.values(services)) expect(name).toMatch(/^postgres:|@sha256:/)
  })

  test('is refused where the release lacks one of its images', () => {
    expect(() => composeOf('  image: tidemark-other:0.1.0\n', '0.1.0', {})).toThrow('no image tidemark-other:0.1.0')
  })
})
