import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf } from '../../delivery/request-context.js'
import { getAccountRecord, updateAccountRecord } from './account-record.js'

const s = initServer()

export function accountRecordRoutes(deps: Deps) {
  return s.router(contract.account, {
    get: async ({ req, res }) => ok(res, await getAccountRecord(deps, callerOf(req))),
    update: async ({ req, res, body, headers }) =>
      ok(res, await updateAccountRecord(deps, callerOf(req), body, versionsOf(headers))),
  })
}
