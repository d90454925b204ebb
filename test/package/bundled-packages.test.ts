import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { licenseTexts } from '../../tools/package/bundled-packages.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

const GRANT = 'Permission is hereby granted, free of charge, to any person.'

/** Returns the section that LICENSES.md has of a package with these files. */
async function sectionOf(manifest: object, files: Readonly<Record<string, string>> = {}): Promise<string> {
  await using folder = await temporaryFolder()
  const at = join(folder.path, 'node_modules/one')
  await mkdir(at, { recursive: true })
  await writeFile(join(at, 'package.json'), JSON.stringify({ name: 'one', version: '1.2.3', ...manifest }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(at, name), text)
  const all = licenseTexts([at])
  return all.slice(all.indexOf('## one'))
}

test.each(['LICENSE', 'licence.md', 'UNLICENSE', 'COPYING'])('a licence is the text of the file %s', async (name) => {
  const section = await sectionOf({ license: 'ISC' }, { [name]: 'The terms.\n', NOTICE: 'Parts are of others.\n' })
  expect(section).toBe(
    '## one 1.2.3 (ISC)\n\nSource: https://www.npmjs.com/package/one/v/1.2.3\n\nThe terms.\n\nParts are of others.\n',
  )
})

test('without a file, it is the section of the README, to its end', async () => {
  const text = `Copyright (c) 2014 A\n\n${GRANT}`
  const readme = `# one\n\n## Use\n\nCall it.\n\n## license\n\n${text}\n\n## Thanks\n\nTo all.\n`
  const section = await sectionOf({ license: 'MIT' }, { 'README.md': readme })
  expect(section).toContain(`v/1.2.3\n\n${text}\n`)
  expect(section).not.toContain('Thanks')
})

test('where the README only names the licence, it is the standard text, with the author', async () => {
  const readme = { 'Readme.md': '# one\n\n## License\n\n[MIT License](http://example.com/)\n' }
  expect(await sectionOf({ license: 'MIT', author: 'A B <a@example.com>' }, readme)).toContain(
    `Copyright (c) A B\n\nPermission is hereby granted`,
  )
  expect(await sectionOf({ license: 'MIT', author: { name: 'A B' } })).toContain('Copyright (c) A B\n')
  expect(await sectionOf({ license: 'MIT' })).toContain('Copyright (c) the authors of one\n')
  expect(await sectionOf({ license: 'Unlicense' })).toContain('released into the public domain')
})

test('a package without the text of another licence is refused, and so is one with a notice alone', async () => {
  const message = 'one has no text of its licence Apache-2.0: leave it outside of the bundle'
  await expect(sectionOf({ license: 'Apache-2.0' })).rejects.toThrow(message)
  await expect(sectionOf({ license: 'Apache-2.0' }, { NOTICE: 'Parts are of others.' })).rejects.toThrow(message)
})
