import { expect, test } from 'vitest'
import { nameOfStatement } from './statement-name.js'

test.each([
  ['select "users"."id" from "users" where "users"."id" = $1', 'select users'],
  ['select 1', 'select'],
  ['insert into "users" ("id") values ($1) returning "id"', 'insert users'],
  ['insert into jobs (id) values ($1) on conflict (id) do update set attempt = 0', 'insert jobs'],
  ['update "applications" set "name" = $1', 'update applications'],
  ['delete from only "sessions" where id = $1', 'delete sessions'],
  ['select id from jobs where run_at <= $1 for update skip locked', 'select jobs'],
  ['select id from "users" for no key update of users', 'select users'],
  ['with due as (select id from jobs) update jobs set lease = $1', 'update jobs'],
  [
    'with made as (insert into users (id) values ($1) returning id) insert into events select from made',
    'insert users',
  ],
  [
    'with recursive earliest as (select * from earliest) select * from earliest join webhooks on true',
    'select webhooks',
  ],
  ['with wanted (id) as (select $1) select * from wanted join users on true', 'select users'],
  ["select 'from nobody' as text from organizations", 'select organizations'],
  ['select extract(epoch from inserted_at), a is distinct from b from log_events', 'select log_events'],
  ['select * from unnest($1::uuid[]) as wanted (id) join users on true', 'select users'],
  ['select * from accounts cross join lateral (select 1 from domains) other', 'select accounts'],
  ['commit', 'commit'],
  ["set lock_timeout = '2s'", 'set'],
])('%s is %s', (text, name) => {
  expect(nameOfStatement(text).name).toBe(name)
})
