import { expect, test } from 'vitest'
import { faultsOf } from './tenant-statements.js'

test.each([
  ['select "id" from "users" where "users"."id" = $1', ['users']],
  ['update "users" set "active" = $1 where "id" = $2', ['users']],
  ['delete from relays where id = $1 and environment = $2', ['relays']],
  ['select 1 from "users" as "u" where "users"."account_id" = $1', ['users']],
  [
    `select 1 from "sessions" as "s" inner join "users" as "u" on "u"."id" = "s"."user_id"
     where "s"."account_id" = $1`,
    ['users'],
  ],
  ['select 1 from "accounts", "relays", "users" where "users"."account_id" = $1', ['relays']],
  [`select 1 from "users" where "users"."email" = '"users"."account_id" = $1'`, ['users']],
])('a statement is noticed that names no account: %s', (statement, tables) => {
  expect(faultsOf(statement).map((fault) => fault.split(' ')[0])).toEqual(tables)
})

test.each([
  'select "domain" from "accounts" where "id" = $1',
  'select "id" from "users" where ("users"."account_id" = $1 and "users"."environment" = $2)',
  'select "id" from "users" where "account_id" = $1',
  'insert into "users" ("account_id", "id") values ($1, $2)',
  `select 1 from "sessions" as "s" inner join "users" as "u" on ("u"."account_id" = "s"."account_id")
   where "s"."account_id" = $1`,
  'update "jobs" set "lease" = $1 where "id" = $2',
])('a statement is accepted that names one, or is of no account: %s', (statement) => {
  expect(faultsOf(statement)).toEqual([])
})
