import type pg from 'pg'

/** What of a table can be seen in the catalogue, by the name of what it is about. */
const PARTS: Readonly<Record<string, string>> = {
  columns: `
    select format('%s.%s %s', c.oid::regclass, a.attname, concat_ws(' ',
      format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attstorage, a.attcompression,
      a.attcollation::regcollation, a.attstattarget, a.attoptions, pg_get_expr(d.adbin, d.adrelid)))
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped`,
  order: `
    select format('%s: %s', c.oid::regclass, string_agg(a.attname, ', ' order by a.attnum))
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attnum > 0 and not a.attisdropped
    group by c.oid`,
  relations: `
    select concat_ws(' ', c.oid::regclass, c.relkind, c.relpersistence, c.reloptions, c.relispartition,
      pg_get_expr(c.relpartbound, c.oid), pg_get_partkeydef(c.oid), c.relrowsecurity, c.relreplident, c.relacl)
    from pg_class c where true`,
  indexes: `
    select concat_ws(' ', pg_get_indexdef(c.oid), i.indisvalid, i.indisprimary, i.indisunique)
    from pg_class c join pg_index i on i.indexrelid = c.oid where true`,
  constraints: `
    select concat_ws(' ', c.oid::regclass, k.conname, k.convalidated, pg_get_constraintdef(k.oid))
    from pg_class c join pg_constraint k on k.conrelid = c.oid where true`,
  triggers: `
    select concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled)
    from pg_class c join pg_trigger t on t.tgrelid = c.oid where not t.tgisinternal`,
  sequences: `
    select concat_ws(' ', c.oid::regclass, s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmax, s.seqmin,
      s.seqcache, s.seqcycle)
    from pg_class c join pg_sequence s on s.seqrelid = c.oid where true`,
}

/** The rest of the schema. */
const OTHERS: Readonly<Record<string, string>> = {
  functions: `
    select concat_ws(' ', pg_get_functiondef(p.oid), p.proacl)
    from pg_proc p join pg_namespace c on c.oid = p.pronamespace where true`,
  types: `
    select concat_ws(' ', t.oid::regtype, t.typtype, t.typcategory,
      (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
    from pg_type t join pg_namespace c on c.oid = t.typnamespace where true`,
  collations: `
    select concat_ws(' ', l.collname, l.collprovider, to_jsonb(l) - 'oid' - 'collowner' - 'collnamespace')
    from pg_collation l join pg_namespace c on c.oid = l.collnamespace where true`,
  schemas: `select concat_ws(' ', c.nspname, c.nspacl) from pg_namespace c where true`,
  comments: `
    select concat_ws(' ', pg_describe_object(x.classoid, x.objoid, x.objsubid), x.description)
    from pg_description x cross join pg_namespace c
    where c.nspname = 'public' and x.objoid >= 16384
      and pg_describe_object(x.classoid, x.objoid, x.objsubid) is not null`,
}

const OWN = `<> all ('{pg_catalog,information_schema,pg_toast}')`

/** Returns what the catalogue says of our schema, as sorted lines by subject. The name of a database is in none. */
export async function schemaOf(client: pg.Client): Promise<Record<string, string[]>> {
  const lines: Record<string, string[]> = {}
  const read = async (name: string, text: string) => {
    const { rows } = await client.query<string[]>({ text, rowMode: 'array' })
    lines[name] = rows.map(([line]) => line ?? '').sort()
  }
  for (const [name, text] of Object.entries(PARTS)) {
    const own = `and c.relnamespace in (select oid from pg_namespace where nspname ${OWN})`
    const grouped = text.includes('group by') ? text.replace('group by', `${own} group by`) : `${text} ${own}`
    await read(name, grouped)
  }
  for (const [name, text] of Object.entries(OTHERS)) await read(name, `${text} and c.nspname ${OWN}`)
  return lines
}
