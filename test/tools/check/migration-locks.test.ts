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
    ['an index without a name', 'create index on monitors (team_id);', 'writes wait'],
    ['an index without a name, beside writes', `${OUTSIDE}create index concurrently on monitors (x);`, 'name it'],
    ['not null, if there is such a table', 'alter table if exists monitors alter column a set not null;', 'not valid'],
    ['a table with its schema', 'alter table public.monitors alter column a set not null;', 'not valid'],
    ['a table in quotes', 'alter table "public"."monitors" alter a set not null;', 'not valid'],
    ['a column with a check', 'alter table monitors add column a int check (a > 0);', 'add the column alone'],
    ['a column with a check at once', 'alter table monitors add a int check(a > 0);', 'add the column alone'],
    [
      'a constraint that is validated at once',
      'alter table checks add constraint c check (x > 0) not valid;\nalter table checks validate constraint c;',
      'a migration of its own',
    ],
    [
      'a constraint that is validated by the same statement',
      'alter table checks add constraint c check (x > 0) not valid, validate constraint c;',
      'a migration of its own',
    ],
    [
      'a constraint before one that is not valid yet',
      'alter table checks add check (a > 0), add constraint b check (b in (1, 2)) not valid;',
      'not valid',
    ],
    ['all rows of a table alone changed', 'update only monitors set x = 1;', 'in batches'],
    ['rows changed after with', 'with ids as (select 1)\nupdate monitors set x = 1;', 'in batches'],
    ['rows changed by a block', 'do $$ begin update monitors set x = 1; end $$;', 'in batches'],
    ['a table changed by a block', 'do $a$ begin alter table only monitors add x int; end $a$;', 'in batches'],
    ['several tables emptied', 'truncate plans, notices;', 'in batches'],
    ['rows changed outside a transaction', `${OUTSIDE}update plans set x = 1;`, 'may not run twice'],
    ['a column outside a transaction', `${OUTSIDE}alter table plans add x int;`, 'may not run twice'],
    [
      'a constraint from an index before the end',
      `${OUTSIDE}alter table plans add constraint c unique using index c;\nalter table plans validate constraint d;`,
      'may not run twice',
    ],
    ['an index of a small table that may stay', `${OUTSIDE}create index concurrently p on plans (x);`, 'drop index'],
    ['a second statement on a line', `${OUTSIDE}drop index concurrently if exists c; update plans set x = 1;`, 'twice'],
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
    ['a text', "comment on table checks is 'a; update monitors, add check (x), drop';"],
    ['a reference that is not valid yet', 'alter table checks add foreign key (x, y) references teams not valid;'],
    ['a constraint that is validated alone', 'alter table checks validate constraint c;'],
    [
      'a constraint from an index that is built before it',
      `${OUTSIDE}drop index concurrently if exists c; create unique index concurrently c on checks (x);
       alter table checks validate constraint d;
       alter table checks add constraint c unique using index c;`,
    ],
    ['a trigger', 'create trigger t after update on monitors for each row execute function f();'],
  ])('may have %s', (_, text) => {
    expect(faultsOf(text)).toEqual([])
  })

  test('is named with the line of the statement', () => {
    expect(faultsOf('-- A comment.\n\nalter table checks\n  alter x set not null;\n')).toEqual([
      expect.stringMatching(/^store\/migrations\/000099-of-a-test\.sql:3: checks: /),
    ])
  })

  test('of the first release is left as it is', () => {
    expect(faultsOf('update checks set x = 1;', '000011')).toEqual([])
  })
})
