import type { DirectorySync } from '@portico/contract/directory-sync'
import express, { type Request, type Response, type Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { formReader } from '../../../platform/http/body.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import { findAdminSession, type AdminSession } from '../../../sso/admins/admin-session.js'
import {
  findDirectory,
  listRecentRequests,
  makeDirectorySecret,
} from '../../../sso/onboarding/directories.js'
import { findOrganizationByDomain } from '../../../directory/organizations/find-organization.js'
import { toCsrfField } from '../../frame/csrf.js'
import { errorPage } from '../../frame/error.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../../frame/site.js'
import { findAdminSecret, toAdminCookie } from '../../frame/admin-cookie.js'
import { isSentByAdmin, leaveOrDecline } from '../leaving.js'
import { directoryPage } from './page.js'

const path = '/onboarding/directory-sync/:environment'

/** A request of an administrator for the page of a directory. */
interface Scene {
  readonly session: AdminSession
  /** Of the browser's cookie. */
  readonly secret: string
  readonly directory: DirectorySync
  readonly version: number
}

/** The page on which an administrator sets directory sync up. */
export function directoryRouter(deps: Deps, site: Site): Router {
  const { isHttps } = site
  const router = express.Router()

  router.get(path, async (req, res) => {
    const scene = await findScene(req, res)
    if (scene !== undefined) await show(req, res, scene, {})
  })

  router.post(path, formReader(16 * 1024), async (req, res) => {
    const scene = await findScene(req, res)
    if (scene === undefined) return
    const { session, secret } = scene
    if (!isSentByAdmin(req, site, { ...session, secret })) sendSentence(req, res, 403, 'otherBrowser')
    else await act(req, res, scene)
  })

  router.all(path, (req, res) => {
    sendSentence(req, res.set('Allow', 'GET, HEAD, POST'), 405, 'notInvited')
  })

  return router

  async function findScene(req: Request, res: Response): Promise<Scene | undefined> {
    const secret = findAdminSecret(req.headers.cookie, isHttps)
    const session = secret === undefined ? undefined : await findAdminSession(deps, secret)
    if (secret === undefined || session === undefined) {
      sendSentence(req, res, 401, 'notInvited')
      return undefined
    }
    const found = await findDirectory(deps, session, textOf(req.params['environment']))
    if (found?.version === undefined) {
      sendSentence(req, res, 404, 'noSuchDirectory')
      return undefined
    }
    return { session, secret, directory: found.record, version: found.version }
  }

  async function act(req: Request, res: Response, scene: Scene): Promise<void> {
    const { session, directory } = scene
    const { action, version } = formOf(req)
    const requestId = requestIdOf(req)
    const left = await leaveOrDecline(deps, session, { action: textOf(action), idpId: null, requestId })
    if (left !== undefined) {
      res.append('Set-Cookie', toAdminCookie('', isHttps, 0))
      sendSentence(req, res, 200, left)
    } else if (textOf(action) === 'make_secret') {
      // No directory has the version 0.
      const shown = /^\d{1,9}$/.test(textOf(version)) ? Number(textOf(version)) : 0
      const made = await makeDirectorySecret(deps, session, { directory, version: shown, requestId })
      const { value: secret = null } = made?.auth_secret_token ?? {}
      await show(req, made === undefined ? res.status(409) : res, scene, {
        hasChanged: made === undefined,
        ...(secret !== null && { secret }),
      })
    } else await show(req, res, scene, {})
  }

  async function show(
    req: Request,
    res: Response,
    { session, secret: browserSecret, directory, version }: Scene,
    { secret, hasChanged = false }: { readonly secret?: string; readonly hasChanged?: boolean },
  ): Promise<void> {
    const organization = await findOrganizationByDomain(deps, session.domain)
    const isSandbox = directory.__environment__ === 'sandbox'
    const frame = frameOf(site, req, { organization, isSandbox, url: req.path })
    const page = directoryPage({
      frame,
      form: {
        action: `${req.path}?ui_locales=${frame.texts.lang}`,
        csrf: toCsrfField(browserSecret, session.sessionId),
      },
      email: session.email,
      directory,
      version,
      requests: await listRecentRequests(deps, session, directory),
      secret,
      hasChanged,
      now: deps.now(),
    })
    sendPage(site, res, page, frame)
  }

  function sendSentence(
    req: Request,
    res: Response,
    status: number,
    name: 'notInvited' | 'noSuchDirectory' | 'otherBrowser' | 'leftOnboarding' | 'declined',
  ): void {
    const frame = frameOf(site, req, { organization: undefined, isSandbox: false, url: undefined })
    sendPage(site, res.status(status), errorPage(frame, frame.texts[name]), frame)
  }
}
