import type { DirectorySync } from '@portico/contract/directory-sync'
import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import {
  findDirectory,
  listGroups,
  listRecentRequests,
  createSecretOfDirectory,
  rulesOfDirectory,
} from '../../../sso/onboarding/directories.js'
import { listRoleRules, type RulesOwner } from '../../../sso/onboarding/role-rules.js'
import { listUsedPaths } from '../../../sso/onboarding/used-paths.js'
import { inChosenLanguage, redirect, type Exchange } from '../../frame/page-route.js'
import { formOf, sendPage, textOf, type Site } from '../../frame/site.js'
import { adminPageRouter, adminView, type Administrator } from '../admin-page/router.js'
import { numberOf, takeRulesForm, type RulesTold } from '../role-rules-form.js'
import { directoryPage } from './page.js'

/** A request by an administrator for the page of a directory. */
interface DirectoryRequest extends Administrator {
  readonly directory: DirectorySync
  readonly version: number
  readonly owner: RulesOwner
}

/** What the page says after a form. */
type Told = Partial<RulesTold> & { readonly secret?: string }

/** The page on which an administrator sets up directory sync. */
export function directoryRouter(deps: Deps, site: Site): Router {
  return adminPageRouter(deps, site, {
    path: '/onboarding/directory-sync/:environment',
    find: async ({ req }, session) => {
      const found = await findDirectory(deps, session, textOf(req.params['environment']))
      if (found?.version === undefined) return undefined
      const { record: directory, version } = found
      const owner = rulesOfDirectory(session, { record: directory, version }, requestIdOf(req))
      return owner && { directory, version, owner }
    },
    missing: 'noSuchDirectory',
    show,
    act,
  })
}

async function act(exchange: Exchange, request: DirectoryRequest, action: string): Promise<void> {
  if (action === 'make_secret') await show(exchange, request, await makeSecret(exchange, request))
  else if (action === 'add_rule' || action === 'remove_rule') await takeRules(exchange, request, action)
  else await show(exchange, request)
}

async function makeSecret({ deps, req }: Exchange, { session, directory }: DirectoryRequest): Promise<Told> {
  const made = await createSecretOfDirectory(deps, session, {
    directory,
    version: numberOf(formOf(req)['version']),
    requestId: requestIdOf(req),
  })
  if (made === undefined) return { status: 409, notice: 'changed' }
  const { value: secret } = made.auth_secret_token
  return secret === null ? {} : { secret }
}

/** Changes the rules, and leads back to the page; a refusal shows it with its reason. */
async function takeRules(
  exchange: Exchange,
  request: DirectoryRequest,
  action: 'add_rule' | 'remove_rule',
): Promise<void> {
  const { session, owner } = request
  const told = await takeRulesForm(exchange, { session, owner, action, fields: ['group'] })
  if (told === undefined) redirect(exchange, inChosenLanguage(exchange, exchange.req.path))
  else await show(exchange, request, told)
}

async function show(
  exchange: Exchange,
  { directory, version, owner, ...admin }: DirectoryRequest,
  { status, secret, notice, entered }: Told = {},
): Promise<void> {
  const { deps, site, res } = exchange
  const view = await adminView(exchange, admin, directory.__environment__)
  const page = directoryPage({
    ...view,
    directory,
    version,
    requests: await listRecentRequests(deps, admin.session, directory),
    usedPaths: await listUsedPaths(deps, admin.session, directory),
    mapped: await listRoleRules(deps, owner),
    groups: await listGroups(deps, admin.session, directory),
    secret,
    notice,
    entered,
  })
  sendPage(site, res.status(status ?? 200), page, view.frame)
}
