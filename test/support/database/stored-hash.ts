import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'

/** All that the teams of an installation have, as one hash: it is equal where nothing has changed. */
export const storedHash = (store: Store): Promise<string> =>
  store.oneFirst(sql.type(row({ hash: Type.String() }))`
    select md5(string_agg(line, '|' order by line)) as hash from (
      select m::text as line from monitors m union all select c::text from checks c
      union all select r::text from runs r union all select d::text from deliveries d
      union all select k::text from api_keys k union all select i::text from invitations i
      union all select m::text from team_members m union all select t::text from teams t
      union all select e::text from audit_events e union all select u::text from team_usage u
    ) all_of_it`)

/** What a team has, as a text: it is equal where nothing changed but the content of runs and the last use of keys. */
export const teamHash = (store: Store, teamId: string): Promise<string> =>
  store.oneFirst(sql.type(row({ print: Type.String() }))`
    with t as (select ${teamId}::uuid as id)
    select concat_ws(' ',
      (select sum(hashtextextended(x::text, 0)) from teams x where id = (select id from t)),
      (select sum(hashtextextended(x::text, 0)) from team_usage x where team_id = (select id from t)),
      (select sum(hashtextextended((to_jsonb(x) - 'last_used_at')::text, 0)) from api_keys x
        where team_id = (select id from t)),
      (select count(*) from audit_events where team_id = (select id from t)),
      (select sum(hashtextextended(x::text, 0)) from monitors x where team_id = (select id from t)),
      (select sum(hashtextextended(x::text, 0)) from checks x where team_id = (select id from t)),
      (select sum(hashtextextended(x::text, 0)) from deliveries x where team_id = (select id from t)),
      (select count(*) from runs where team_id = (select id from t))) as print`)
