import type { DirectorySync } from '@portico/contract/directory-sync'
import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import {
  findDirectory,
  listRecentRequests,
  createSecretOfDirectory,
} from '../../../sso/onboarding/directories.js'
import { listUsedPaths } from '../../../sso/onboarding/used-paths.js'
import type { Exchange } from '../../frame/page-route.js'
import { formOf, sendPage, textOf, type Site } from '../../frame/site.js'
import { adminPageRouter, adminView, type Administrator } from '../admin-page/router.js'
import { directoryPage } from './page.js'

/** A request by an administrator for the page of a directory. */
interface DirectoryRequest extends Administrator {
  readonly directory: DirectorySync
  readonly version: number
}

/** The page on which an administrator sets up directory sync. */
export function directoryRouter(deps: Deps, site: Site): Router {
  return adminPageRouter(deps, site, {
    path: '/onboarding/directory-sync/:environment',
    find: async ({ req }, session) => {
      const found = await findDirectory(deps, session, textOf(req.params['environment']))
      return found?.version === undefined ? undefined : { directory: found.record, version: found.version }
    },
    missing: 'noSuchDirectory',
    show,
    act,
  })
}

async function act(exchange: Exchange, request: DirectoryRequest, action: string): Promise<void> {
  const { deps, req, res } = exchange
  if (action !== 'make_secret') {
    await show(exchange, request)
    return
  }
  const version = textOf(formOf(req).version)
  // No directory has the version 0.
  const shown = /^\d{1,9}$/.test(version) ? Number(version) : 0
  const { session, directory } = request
  const made = await createSecretOfDirectory(deps, session, {
    directory,
    version: shown,
    requestId: requestIdOf(req),
  })
  const { value: secret = null } = made?.auth_secret_token ?? {}
  if (made === undefined) res.status(409)
  await show(exchange, request, { hasChanged: made === undefined, ...(secret !== null && { secret }) })
}

async function show(
  exchange: Exchange,
  { directory, version, ...admin }: DirectoryRequest,
  { secret, hasChanged = false }: { readonly secret?: string; readonly hasChanged?: boolean } = {},
): Promise<void> {
  const { deps, site, res } = exchange
  const view = await adminView(exchange, admin, directory.__environment__)
  const page = directoryPage({
    ...view,
    directory,
    version,
    requests: await listRecentRequests(deps, admin.session, directory),
    usedPaths: await listUsedPaths(deps, admin.session, directory),
    secret,
    hasChanged,
  })
  sendPage(site, res, page, view.frame)
}
