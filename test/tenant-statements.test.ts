import { expect, test } from 'vitest'
import { faultsOf } from './tenant-statements.js'

test.each([
  ['select "id" from "users" where "users"."id" = $1', ['users']],
  ['update "users" set "active" = $1 where "id" = $2', ['users']],
  ['delete from relays where id = $1 and environment = $2', ['relays']],
  ['select 1 from "users" as "u" where "users"."account_id" = $1', ['users']],
  [
    `select 1 from "sessions" as "s" inner join "users" as "u" on "u"."id" = "s"."user_id"
     where "s"."account_id" = $1 and "s"."environment" = $2`,
    ['users'],
  ],
  [
    `select 1 from "accounts", "relays", "users"
     where "users"."account_id" = $1 and "users"."environment" = $2`,
    ['relays'],
  ],
  ['select "id" from "users" where "users"."account_id" = $1', ['users']],
  [
    `select 1 from "sessions" as "s" inner join "users" as "u"
       on "u"."account_id" = "s"."account_id" and "u"."environment" = "s"."environment"
     where "s"."id" = $1`,
    ['sessions', 'users'],
  ],
  ['select "id" from "organizations" where "domain" = $1', ['organizations']],
  ['select 1 from "users" where "account_id" = $1 and ("environment" = $2 or $3)', ['users']],
  [
    'select 1 from "users" where ("account_id" = $1 and "environment" = $2) or ("account_id" = $3 and "email" = $4)',
    ['users'],
  ],
  ['select 1 from "users" where "account_id" = $1 and not ("environment" = $2)', ['users']],
  [
    `select 1 from "users" left join "sessions" as "s"
       on "s"."account_id" = $1 and "s"."environment" = $2
       and "users"."account_id" = "s"."account_id" and "users"."environment" = "s"."environment"`,
    ['users'],
  ],
  [
    `select 1 from "users" where "account_id" = $1 and "environment" = $2
       and exists (select from "sessions" as "users" where "users"."id" = $3)`,
    ['sessions'],
  ],
  [
    `with "found" as (select "account_id", "environment" from "sessions" where "id" = $1)
     select 1 from "users" inner join "found"
       on "users"."account_id" = "found"."account_id" and "users"."environment" = "found"."environment"`,
    ['users', 'sessions'],
  ],
  [`select 1 from "users" where "users"."email" = '"users"."account_id" = $1'`, ['users']],
])('a statement is noticed that names no account: %s', (statement, tables) => {
  expect(faultsOf(statement).map((fault) => fault.split(' ')[0])).toEqual(tables)
})

test.each([
  'select "domain" from "accounts" where "id" = $1',
  'select "id" from "users" where ("users"."account_id" = $1 and "users"."environment" = $2)',
  'select "id" from "users" where "account_id" = $1 and "environment" in ($2, $3)',
  'insert into "users" ("account_id", "id") values ($1, $2)',
  `select 1 from "sessions" as "s" inner join "users" as "u" on ("u"."account_id" = "s"."account_id" and "u"."environment" = "s"."environment")
   where "s"."account_id" = $1 and "s"."environment" = $2`,
  `with "found" as (select "account_id", "environment" from "sessions" where "account_id" = $1 and "environment" = $2)
   select 1 from "users", "found" where "users"."account_id" = "found"."account_id" and "users"."environment" = "found"."environment"`,
  `insert into "relays" ("account_id", "environment") values ($1, $2) returning (
     select "id" from "users" where "users"."account_id" = "relays"."account_id" and "users"."environment" = "relays"."environment")`,
  'select 1 from "users" where ("account_id" = $1 and "environment" = $2) or ("account_id" = $3 and "environment" = $4)',
  `select 1 from "oidc_requests" where ("account_id", "environment", "flow_id") in (
     select "account_id", "environment", "id" from "sign_in_flows" where "account_id" = $1 and "environment" = $2)`,
  'select "account_id", "id" from "organizations" where "domain" = $1',
  'select "u"."id" from "authorization_codes" as "c", "users" as "u" where "c"."code_hash" = $1 and "u"."account_id" = "c"."account_id" and "u"."environment" = "c"."environment"',
  'update "jobs" set "lease" = $1 where "id" = $2',
])('a statement is accepted that names one, or is of no account: %s', (statement) => {
  expect(faultsOf(statement)).toEqual([])
})
