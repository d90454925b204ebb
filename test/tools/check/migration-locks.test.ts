import { describe, expect, test } from 'vitest'
import { migrationLockFaults } from '../../../tools/check/migration-locks.ts'

const faultsOf = (text: string, number = '000099') =>
  migrationLockFaults({ path: `store/migrations/${number}-of-a-test.sql`, text })
const OUTSIDE = '-- Runs outside a transaction.\n'

describe('A migration', () => {
  test.each([
    ['an index', 'create index checks_x on checks (x);', 'writes wait while the index is built'],
    ['an index in a transaction', 'create index concurrently checks_x on checks (x);', 'writes wait'],
    [
      'an index that may stay invalid',
      `${OUTSIDE}create index concurrently c on checks (x);`,
      'drop index concurrently',
    ],
    ['an index on partitions', `${OUTSIDE}create index concurrently r on runs (x);`, 'runs has partitions'],
    ['another type', 'alter table monitors alter column name type varchar(9);', 'rewrites'],
    ['not null', 'alter table deliveries alter column x set not null;', 'not valid'],
    ['a constraint that is valid at once', 'alter table checks add constraint c check (x > 0);', 'not valid'],
    ['a foreign key', 'alter table checks add constraint c foreign key (x) references teams;', 'not valid'],
    ['a unique constraint', 'alter table checks add constraint c unique (x);', 'concurrently'],
    ['a column that refers to a table', 'alter table runs add column x uuid references teams;', 'add the column alone'],
    ['a default that differs by row', 'alter table checks add column x timestamptz default clock();', 'in batches'],
    ['all rows changed', 'update monitors\n  set x = 1;', 'in batches'],
    ['rows deleted', 'delete from notices where x;', 'in batches'],
  ])('may not have %s', (_, text, advice) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(advice)])
  })

  test.each([
    ['a column', 'alter table checks add column mute json;'],
    ['a column with a constant', "alter table checks add column x text not null default 'none';"],
    ['a constraint that is not valid yet', 'alter table checks add constraint c check (x > 0) not valid;'],
    ['a constraint from an index', 'alter table checks add constraint c unique using index checks_x;'],
    [
      'an index that is built beside writes',
      `${OUTSIDE}drop index concurrently if exists c;\ncreate index concurrently c on checks (x);`,
    ],
    [
      'anything on a table that it makes',
      'create table runs (x int);\ncreate index r on runs (x);\nupdate runs set x = 1;',
    ],
    ['anything on a small table', 'update plans set x = 1;\ncreate index p on plans (x);'],
    [
      'a function that changes rows',
      'create function f() returns void as $$ update checks set x = 1; $$ language sql;',
    ],
    ['a comment', '-- update checks set x = 1;'],
  ])('may have %s', (_, text) => {
    expect(faultsOf(text)).toEqual([])
  })

  test('is named with the line of the statement', () => {
    expect(faultsOf('-- A comment.\n\nalter table checks\n  alter x set not null;\n')).toEqual([
      expect.stringMatching(/^store\/migrations\/000099-of-a-test\.sql:3: checks: /),
    ])
  })

  test('from before the first release is left as it is', () => {
    expect(faultsOf('update checks set x = 1;', '000037')).toEqual([])
  })
})
