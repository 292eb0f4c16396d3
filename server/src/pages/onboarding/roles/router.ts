import { ConnectionPath } from '@portico/contract/sso-connections'
import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import {
  findRulesOfConnection,
  listSeenAttributes,
  type ConnectionRules,
} from '../../../sso/onboarding/connection-rules.js'
import { listRoleRules } from '../../../sso/onboarding/role-rules.js'
import { inChosenLanguage, redirect, type Exchange } from '../../frame/page-route.js'
import { sendPage, type Site } from '../../frame/site.js'
import { adminPageRouter, adminView, type Administrator } from '../admin-page/router.js'
import { takeRulesForm, type RulesTold } from '../role-rules-form.js'
import { rolesPage } from './page.js'

/** A request by an administrator for the rules of a connection. */
interface RolesRequest extends Administrator {
  readonly owner: ConnectionRules
}

/** The page on which an administrator maps what the identity provider says to roles. */
export function rolesRouter(deps: Deps, site: Site): Router {
  return adminPageRouter(deps, site, {
    path: '/onboarding/:idp_id/roles',
    find: async ({ req }, session) => {
      const { idp_id: idpId } = ConnectionPath.parse(req.params)
      const owner = await findRulesOfConnection(deps, session, idpId, requestIdOf(req))
      return owner && { owner }
    },
    missing: 'noSuchConnection',
    show,
    act,
  })
}

/** Changes the rules, and leads back to the page; a refusal shows it with its reason. */
async function act(exchange: Exchange, request: RolesRequest, action: string): Promise<void> {
  const { session, owner } = request
  const isOfRules = action === 'add_rule' || action === 'remove_rule'
  const told = isOfRules
    ? await takeRulesForm(exchange, { session, owner, action, fields: ['attribute', 'value'] })
    : undefined
  if (told === undefined) redirect(exchange, inChosenLanguage(exchange, exchange.req.path))
  else await show(exchange, request, told)
}

async function show(
  exchange: Exchange,
  { owner, ...admin }: RolesRequest,
  { status, notice, entered }: Partial<RulesTold> = {},
): Promise<void> {
  const { deps, site, res } = exchange
  const view = await adminView(exchange, admin, owner.tenant.environment)
  const page = rolesPage({
    ...view,
    base: `/onboarding/${owner.connection.idpId}`,
    listUrl: admin.session.connection === null ? '/onboarding' : undefined,
    mapped: await listRoleRules(deps, owner),
    attributes: await listSeenAttributes(deps, owner.connection),
    notice,
    entered,
  })
  sendPage(site, res.status(status ?? 200), page, view.frame)
}
