import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SCOPES } from '../../../tools/check/statement-scopes.ts'
import { statementCounts, statementTeamFaults } from '../../../tools/check/statement-teams.ts'

const faultsOf = (text: string, scopes = {}) => statementTeamFaults([{ path: 'store/a.ts', text }], scopes)
const statement = (text: string) => `await store.query(sql.type(row({ id: Type.String() }))\`${text}\`)`

test.each([
  ['the value teamId', 'select from runs where team_id = ${teamId}::uuid'],
  ['a property', 'select from runs where team_id = ${query.reader.teamId}'],
  ['the argument of a fragment', 'select from monitors m where ${isMonitor(teamId, id, kind)}'],
])('a statement that names its team by %s is right', (_how, text) => {
  expect(faultsOf(statement(text))).toEqual([])
})

test.each([
  ['a column alone', 'select team_id from runs'],
  ['the name of a column in a list', "select ${unnest('i', rows, { team_id: 'uuid' })}"],
  ['the text of a fragment', 'select ${lastMoment(sql.fragment`o.team_id`)} from o'],
  ['another value of a team', 'select ${team.plan}'],
])('%s names no team', (_what, text) => {
  expect(faultsOf(statement(text))).toEqual([
    'store/a.ts: 1 statements name no team (lines 1), and tools/check/statement-scopes.ts lists 0: name the team, or ' +
      'list what they are about',
  ])
})

test('one that is listed is right, and one more or one less is not', () => {
  const all = { 'store/a.ts': { all: 1 } }
  expect(faultsOf(statement('select 1'), all)).toEqual([])
  expect(faultsOf(statement('select 1') + statement('select 2'), all)).toHaveLength(1)
  expect(faultsOf('', all)).toEqual([
    'store/a.ts: 0 statements name no team (lines ), and tools/check/statement-scopes.ts lists 1: name the team, or ' +
      'list what they are about',
  ])
})

test('a file that is gone leaves the list', () => {
  expect(statementTeamFaults([], { 'store/gone.ts': { rows: 1 } })).toEqual([
    'tools/check/statement-scopes.ts: store/gone.ts is not in the tree any more',
  ])
})

test('docs/scale.md has the numbers of the list', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/scale.md'), 'utf8')
  const said = Array.from(page.matchAll(/^\| `(\w+)`:[^|]*\| (\d+) /gm), ([, name, count]) => [name, Number(count)])
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(statementCounts(SCOPES)))
})
