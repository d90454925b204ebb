import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const ROOT = new URL('../../', import.meta.url).pathname

test('the page on installing has each alert of the chart, in its order', async () => {
  const { groups } = parse(await readFile(`${ROOT}charts/tidemark/files/alerts.yaml`, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[]
  }
  const page = await readFile(`${ROOT}docs/kubernetes-install.md`, 'utf8')
  const listed = [...page.matchAll(/^\| `(Tidemark\w+)`/gm)].map(([, name]) => name)
  expect(listed).toEqual(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)))
})
