import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanOf } from '../../../cli/check/clean-of.ts'
import { configurationOf } from '../../../cli/check/configuration.ts'
import type { CheckOptions } from '../../../cli/check/options.ts'
import { runCheck } from '../../../cli/check/run-check.ts'
import { UsageError } from '../../../cli/check/usage-error.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { Preview } from '../../../schema/monitor/preview.ts'
import { TREATMENTS } from '../../../schema/monitor/treatment.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { runHere } from '../../support/process/run-here.ts'

const EGRESS = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
let page: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-clean-'))
  page = join(folder, 'page.html')
  await writeFile(page, '<ul><li>b<li>a<li>Ad: c<li>a</ul><p>from $5</p>')
})
afterAll(() => rm(folder, { recursive: true }))

async function check(options: CheckOptions) {
  let out = ''
  const isSuccess = await runCheck(await configurationOf(process, [page], options, EGRESS), EGRESS, {
    io: process,
    form: 'json',
    out: (text) => void (out += text),
    err: () => {},
  })
  const { target: _, ...shown } = JSON.parse(out) as Preview & { target: string }
  expect(checkerOf(Preview).validate(shown)).toMatchObject({ ok: true })
  return { isSuccess, shown }
}

describe('tidemark check --clean', () => {
  test('treats values in the order that is written', async () => {
    const clean = ['items=drop_lines ^Ad', 'items=unique', ' items = sort', 'price=replace ^from (.*) => $1']
    const { shown } = await check({ css: ['items=li[]', 'price=p'], clean })
    expect(shown.fields).toEqual({ items: ['a', 'b'], price: '$5' })
  })

  test('treats the lines of a whole page', async () => {
    const hashes = await Promise.all(
      [['content_hash=first 2'], ['content_hash=first 2', 'content_hash=sort'], ['content_hash=first 1']].map(
        async (clean) => (await check({ clean })).shown.fields['content_hash'],
      ),
    )
    expect(new Set(hashes).size).toBe(3)
  })

  test.each<[given: string, treatment: object]>([
    ['keep_lines a b', { do: 'keep_lines', pattern: 'a b' }],
    ['keep_lines a => b', { do: 'keep_lines', pattern: 'a => b' }],
    ['replace a => b => c', { do: 'replace', pattern: 'a', text: 'b => c' }],
    ['replace a =>', { do: 'replace', pattern: 'a', text: '' }],
    ['replace a', { do: 'replace', pattern: 'a' }],
    ['first 12', { do: 'first', count: 12 }],
    ['last twelve', { do: 'last', count: 'twelve' }],
    ['between a => b', { do: 'between', after: 'a', before: 'b' }],
    ['unique', { do: 'unique' }],
    ['toString', { do: 'toString' }],
    ['{"do":"replace","pattern":" => ","text":"="}', { do: 'replace', pattern: ' => ', text: '=' }],
  ])('reads %s', (given, treatment) => {
    expect(cleanOf([`a=${given}`])).toEqual({ a: [treatment] })
  })

  test.each<[clean: string[], message: string]>([
    [['unique'], "--clean takes a field and what is done to it, as in --clean 'jobs=drop_lines ^Ad'"],
    [['a=unique b'], '--clean: unique takes nothing behind it'],
    [['a={"do"'], '--clean: {"do" is not JSON'],
    [['a=first x'], '--clean a: count must be an integer'],
    [['a=between x'], '--clean a: before is required with do between'],
    [['a=frst 1'], '--clean a: do must be one of "keep_lines"'],
    [['a=drop_lines ('], '--clean a: pattern is not a JavaScript pattern that can run'],
    [['b=unique'], '--clean b: is not among the fields that are extracted: "a"'],
  ])('refuses %j', async (clean, message) => {
    await expect(check({ css: ['a=li'], clean })).rejects.toThrow(message)
  })

  test('is refused beside a monitor and an outline', async () => {
    const clean = ['a=unique']
    await expect(check({ monitor: 'x.json', clean })).rejects.toThrow('write "clean" into its extract_config')
    await expect(check({ outline: true, clean })).rejects.toThrow(UsageError)
  })

  test('says that nothing is left, and ends as a run that gives an empty value does', async () => {
    const { isSuccess, shown } = await check({ css: ['items=li[]', 'price=p'], clean: ['items=keep_lines x'] })
    expect(shown).toMatchObject({ fields: { items: [], price: 'from $5' }, emptied: ['items'] })
    expect(shown.warnings).toEqual([expect.stringContaining('Nothing is left of the field "items"')])
    expect(isSuccess).toBe(true)
    expect(await check({ css: ['items=b[]'], clean: ['items=unique'] })).toMatchObject({ isSuccess: false })
  })

  test('has each treatment in its help', async () => {
    const { stdout } = await runHere(['check', '--help'])
    for (const name of Object.keys(TREATMENTS)) expect(stdout.replaceAll(/\s+/g, ' ')).toContain(name)
  })
})
