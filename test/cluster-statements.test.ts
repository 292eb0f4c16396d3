import { expect, test } from 'vitest'
import { faultsInCluster } from './cluster-statements.js'

const organization = '(select "id" from "organizations" where "account_id" = $1 and "domain" = $2)'

test.each([
  [
    `insert into "users" ("account_id", "organization_id") values ($1, ${organization})`,
    /values of an insert/,
  ],
  [
    `insert into "users" ("id", "organization_id") values ($3, $4), ($5, coalesce(${organization}, $6)) on conflict do nothing`,
    /values of an insert/,
  ],
  [
    `with "created" as (insert into "users" ("organization_id") values (${organization}) returning "id") select "id" from "created"`,
    /values of an insert/,
  ],
  [
    'insert into "relays" ("id") select $1 where $2 returning "id", (select "domain" from "organizations") as "domain"',
    /an insert returns/,
  ],
  [
    'insert into "relays" ("id") values ($1) returning exists (select from "users" where "relay_id" = "relays"."id")',
    /an insert returns/,
  ],
  ['select pg_advisory_xact_lock($1) from "sessions" where "id" = $2', /advisory lock/],
  ['with "locked" as (select pg_try_advisory_lock($1)) select 1 from "locked"', /advisory lock/],
  [
    'with "taken" as (delete from "jobs" where "id" = $1 returning "id") select exists (select from "taken") as "found"',
    /without a column/,
  ],
  [
    'with "taken" as (delete from "jobs" where "id" = $1 returning "id") select exists (select from "taken") as "found" from "users"',
    /without a column/,
  ],
  [
    'with "taken" as (delete from "jobs" where "id" = $1 returning "id") select $2 is distinct from $3 or exists (select "id" from "taken") and exists (select from "users")',
    /without a column/,
  ],
  [
    'insert into "relays" ("id") (select $1 where ($2 = $3 or exists (select from "users" where "id" = $4))) returning "id"',
    /inserts nothing/,
  ],
  [
    'with "made" as (insert into "relays" ("id") (select $1 where exists (select from "users") or $2)) select 1',
    /inserts nothing/,
  ],
  [
    'insert into "relays" ("id", "domain") select $1, coalesce($2::text, (select "domain" from "users")) on conflict ("id") do nothing',
    /inserts nothing/,
  ],
  [
    'insert into "relays" ("id", "domain") (select given, coalesce($2, (select "domain" from "users")) from unnest($1::uuid[]) given)',
    /inserts nothing/,
  ],
  [
    'insert into "relays" ("id", "active") (select $1, ($2 and exists (select from "users")))',
    /inserts nothing/,
  ],
  [
    'insert into "relays" ("id") (select case when $1 then $2 else (select "id" from "users") end) returning "id"',
    /inserts nothing/,
  ],
  ['update "jobs" set "lane" = random() where "id" = $1', /not immutable/],
  [`update "jobs" set "run_at" = run_at - interval '1 day' where "id" = $1`, /not immutable/],
  [
    'insert into "domains" ("domain") (select array_to_string("labels", $1) from "domains") on conflict do nothing',
    /not immutable/,
  ],
])('a statement is noticed that a cluster refuses: %s', (statement, fault) => {
  expect(faultsInCluster(statement)).toEqual([expect.stringMatching(fault)])
})

test.each([
  'insert into "users" ("id") values ($1), ($2) on conflict ("id") do update set "id" = $3 returning "id"',
  `insert into "users" ("organization_id") (select ${organization}) returning "organization_id"`,
  'insert into "relays" ("id") (select $1 where exists (select from "users" where ("id" = $2 or $3)) and ($4 or $5)) returning "id"',
  `insert into "relays" ("organization_id") (select ${organization} where ($2 or exists (select from "users")))`,
  'insert into "relays" ("id") (select (($1::timestamptz at time zone \'UTC\' + (coalesce((select "seconds" from "users"), 8) * interval \'1 s\')) at time zone \'UTC\'))',
  'with "made" as (select "id" from "users") insert into "relays" ("id") (select coalesce($1, (select "id" from "users")) from "made")',
  'insert into "relays" ("id") select coalesce($1, (select "id" from "users")) from "accounts" where "id" = $2',
  'with "made" as (insert into "relays" ("id") values ($1) returning "id") select $2 or exists (select "id" from "made")',
  'insert into "relays" ("id") (select "id" from "users" where ($2 or exists (select from "users")))',
  'update "relays" set "active" = $1 returning "id", (select "domain" from "organizations") as "domain"',
  `with "created" as (insert into "relays" ("id") values ($1) returning "id")
   select "id", (select "domain" from "organizations") as "domain" from "created"`,
  'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  `update "jobs" set "run_at" = ((run_at at time zone 'UTC' + interval '1 day') at time zone 'UTC') where "id" = $1`,
  `update "jobs" set "run_at" = ((run_at at time zone 'UTC' + - interval '1 day') at time zone 'UTC') where "id" = $1`,
  'with "taken" as (delete from "jobs" where "id" = $1 returning "id") select exists (select "id" from "taken") as "found"',
  `select "id" from "jobs" where "run_at" > $1::timestamptz - interval '1 day' order by random()`,
])('a statement is accepted that a cluster runs: %s', (statement) => {
  expect(faultsInCluster(statement)).toEqual([])
})
