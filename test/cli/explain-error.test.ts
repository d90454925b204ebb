import { expect, test } from 'vitest'
import { exitCodeOf, explain } from '../../cli/explain-error.ts'

/** The error of Node for an import that package.json does not define. */
const notDefined = (specifier: string): Error =>
  Object.assign(new TypeError(`Package import specifier "${specifier}" is not defined in package /opt/package.json`), {
    code: 'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  })

test('a command whose code is left out of an image names the image that has it, and is an error of its use', () => {
  const error = notDefined('#api/server.ts')
  expect(explain(error)).toBe('tidemark: this image has no code for this command: use the image tidemark-service')
  expect(exitCodeOf(error)).toBe(2)
})

test('the same fault of a package is a bug, with its stack', () => {
  const error = notDefined('one')
  expect(explain(error)).toMatch(/^tidemark: TypeError: Package import specifier "one"[^]*\n +at /)
  expect(exitCodeOf(error)).toBe(1)
})
