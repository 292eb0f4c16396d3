import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Service } from '../harness.js'

/** The tables in a row of which all of these texts are, in any case, also as bytes. */
export async function tablesWith(service: Service, ...texts: string[]): Promise<string[]> {
  const names = await service.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and not relispartition order by 1`,
  )
  const counts = await Promise.all(
    names.map(({ name }) =>
      service.query(
        `select from ${name} t
         where not exists (
           select from unnest($1::text[]) as text
           where strpos(lower(t::text), lower(text)) = 0
             and strpos(t::text, encode(convert_to(text, 'UTF8'), 'hex')) = 0
         )`,
        [texts],
      ),
    ),
  )
  return names.flatMap(({ name }, index) => (counts[index]?.length ? [name] : []))
}

/** What a backup holds, in lower case. */
export function textOfBackup(path: string): string {
  return gunzipSync(readFileSync(path)).toString('utf8').toLowerCase()
}
