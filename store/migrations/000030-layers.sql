-- What each layer whose last reading was not the baseline read otherwise (worker/record/by-layer.ts). Null: there is
-- none. `lacking` and `pending` are not used any more.
alter table baselines add column layers json;

-- The names of what a layer lacked are known, its values are not: its next reading of them tells nothing. Patterns and
-- whole pages were set anew with each layer, so for them it is one that has not read the page.
update baselines b set layers = (
  select json_object_agg(l.layer, (
    select coalesce(json_object_agg(f.name, '{"value": null, "is": "outdated"}'::json), '{}')
    from json_array_elements_text(l.fields) as f (name)))
  from json_each(b.lacking) as l (layer, fields)
  where case l.layer when 'static' then 1 when 'browser' then 2 else 4 end & c.read_by = 0
)
from checks c join monitors m using (no)
where c.no = b.no and b.lacking is not null and m.extract_config ->> 'method' not in ('regex', 'full_page');
