import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import {
  createPermission,
  deletePermission,
  getPermission,
  listPermissions,
  updatePermission,
} from './permissions.js'
import { evaluateAccess, evaluateAllAccess, toAccessConfiguration } from './evaluation.js'
import { createRole, deleteRole, getRole, listRoles, updateRole } from './roles.js'
import { getUserRoles, setUserRoles } from './user-roles.js'

const s = initServer()

export function permissionRoutes(deps: Deps) {
  return s.router(contract.permissions, {
    create: async ({ req, res, body }) => created(res, await createPermission(deps, callerOf(req), body)),
    list: async ({ req, query }) => listed(await listPermissions(deps, callerOf(req), query)),
    get: async ({ req, res, params }) =>
      ok(res, await getPermission(deps, callerOf(req), params.permission_id)),
    update: async ({ req, res, params, body, headers }) =>
      ok(res, await updatePermission(deps, callerOf(req), params.permission_id, body, versionsOf(headers))),
    delete: async ({ req, res, params: { permission_id: id }, body, headers }) =>
      deleted(res, await deletePermission(deps, callerOf(req), { ...body, id }, versionsOf(headers))),
  })
}

export function roleRoutes(deps: Deps) {
  return s.router(contract.roles, {
    create: async ({ req, res, body }) => created(res, await createRole(deps, callerOf(req), body)),
    list: async ({ req, query }) => listed(await listRoles(deps, callerOf(req), query)),
    get: async ({ req, res, params }) => ok(res, await getRole(deps, callerOf(req), params.role_id)),
    update: async ({ req, res, params, body, headers }) =>
      ok(res, await updateRole(deps, callerOf(req), params.role_id, body, versionsOf(headers))),
    delete: async ({ req, res, params: { role_id: id }, body, headers }) =>
      deleted(res, await deleteRole(deps, callerOf(req), { ...body, id }, versionsOf(headers))),
    getUserRoles: async ({ req, res, params }) =>
      ok(res, await getUserRoles(deps, tenantOf(req), params.user_id)),
    setUserRoles: async ({ req, res, params: { user_id: userId }, body, headers }) =>
      ok(res, await setUserRoles(deps, tenantOf(req), { ...body, userId }, versionsOf(headers))),
  })
}

export function accessRoutes(deps: Deps) {
  return s.router(contract.accessEvaluation, {
    evaluate: async ({ req, body }) => ({
      status: 200,
      body: await evaluateAccess(deps, { ...callerOf(req), ...tenantOf(req) }, body),
    }),
    evaluateAll: async ({ req, body }) => ({
      status: 200,
      body: await evaluateAllAccess(deps, { ...callerOf(req), ...tenantOf(req) }, body),
    }),
    configuration: ({ params }) =>
      Promise.resolve({ status: 200, body: toAccessConfiguration(deps, params.org_domain) }),
  })
}
