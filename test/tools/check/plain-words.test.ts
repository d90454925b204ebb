import { expect, test } from 'vitest'
import { plainWordFaults } from '../../../tools/check/plain-words.ts'

const faults = (path: string, line: string) => plainWordFaults({ path, text: `const a = 1\n${line}\n` })

test.each([
  ['core/a.ts', '// A limit (DESIGN §4.13).', 'give the reason'],
  ['docs/a.md', 'See spec.md for this.', 'give the reason'],
  ['core/a.ts', '/** What came of a check. */', 'name the result'],
  ['core/a.ts', '/** Answers the page. */', 'Returns'],
  ['core/a.ts', 'interface ToldMonitor {}', 'notify'],
  ['docs/a.md', 'A runner is not believed.', 'trusted'],
  ['test/a.test.ts', "  test('a failure is told once', () => {", 'reported'],
  ['test/a.test.ts', "describe.each(all)('the places of a host', () => {", 'slot'],
])('%s: %s is refused with the word to use', (path, line, say) => {
  expect(faults(path, line)).toEqual([expect.stringMatching(new RegExp(`^${path}:2: .*${say}`))])
})

test('words of the field pass', () => {
  expect(faults('core/a.ts', '/** Returns the page that the egress guard let through. */')).toEqual([])
})

test.each([
  ['A 404 is no refusal.', 'is not'],
  ['It is kept for whoever asks.', 'a person who'],
  ['The run goes on all the same.', 'still'],
  ['Each has a pod of its own.', 'its own'],
  ['A file that is there stays.', 'exists'],
  ['It keeps what a run came to.', 'name the result'],
  ['Checks go on meanwhile.', 'name the time'],
  ['- What is locked stays.', 'begin with the subject'],
  ['It waits. Whether it ends is shown.', 'begin with the subject'],
])('a page that says "%s" is refused with what to write', (line, say) => {
  expect(faults('docs/a.md', line)).toEqual([expect.stringMatching(new RegExp(`^docs/a.md:2: .*${say}`))])
})

test.each([
  ['core/a.ts', '// It goes on all the same.'],
  ['core/a.ts', '/** A 404 is no refusal. */'],
  ['core/a.ts', ' * Each has a pod of its own.'],
  ['core/a.ts', 'wait() // for whoever asks'],
  ['core/a.ts', '  -- checks go on meanwhile'],
  ['store/migrations/000030-a.sql', 'id uuid, -- of its own'],
  ['store/runs/a.ts', '/** What a run costs. */'],
  ['deliveries/loop/a.ts', ' * Returns the key. Whether a target works is tracked apart.'],
])('in %s, the comment "%s" is refused', (path, line) => {
  expect(faults(path, line)).toHaveLength(1)
})

test.each([
  ['docs/a.md', 'There is no limit, and a key is no longer valid.'],
  ['docs/a.md', '`the store is there`'],
  ['docs/a.md', '```\nWhat is locked stays.\n```'],
  ['core/a.ts', "say('it goes on all the same') // once"],
  ['core/a.ts', '/** What a run costs. `is there` */'],
  ['test/a.test.ts', '// Each has a pod of its own.'],
  ['store/migrations/000030-a.sql', '-- What a run costs.'],
  ['store/runs/a.ts', '/** The answer says what a run costs. */'],
  ['pulumi/src/inputs/a.ts', '/** Each has a pod of its own. */'],
])('in %s, "%s" passes', (path, line) => {
  expect(faults(path, line)).toEqual([])
})
