import { OrganizationPath, type Environment } from '@portico/contract/fields'
import express, { type Request, type Response, type Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { formReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import {
  planSignOut,
  signOutAsPlanned,
  type SignOutFault,
  type SignOutPlan,
} from '../../protocols/oidc/end-session.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { flowSecretOf, secretOfOurForm, toCsrfField, toFlowCookie } from '../frame/csrf.js'
import { errorPage } from '../frame/error.js'
import type { Frame } from '../frame/layout.js'
import { textsFor } from '../frame/locale.js'
import { isOnlyLooking } from '../frame/only-looking.js'
import { pageHeaders } from '../frame/page-headers.js'
import { clearSessionCookie, findSessionSecret } from '../frame/session-cookie.js'
import { formOf, type Site } from '../frame/site.js'
import { signedOutPage, signOutPage } from '../views/sign-out.js'

const path = '/t/:org_domain/logout'

/** The parameters that are read, with how long each may be. */
const parameters = {
  id_token_hint: 8192,
  client_id: 100,
  post_logout_redirect_uri: 2000,
  state: 2000,
  ui_locales: 300,
} as const
type Parameter = keyof typeof parameters

/** The address at which users sign out (OpenID Connect RP-Initiated Logout): by themselves, or sent by an application. */
export function logoutRouter(deps: Deps, { styleUrl, scriptUrl }: Site): Router {
  const { isHttps, productName } = deps.config
  const router = express.Router()

  router.get(path, async (req, res) => {
    if (isOnlyLooking(req)) {
      res.status(204).set(pageHeaders(isHttps)).end()
      return
    }
    const scene = await sceneOf(req, res)
    if (scene === undefined) return
    const { plan, organization, frame, query } = scene
    if (plan.session !== undefined && !plan.isHinted) {
      const secret = flowSecretOf(req.headers.cookie, isHttps)
      res.append('Set-Cookie', toFlowCookie(secret, isHttps))
      const form = { action: `${req.path}${query}`, csrf: toCsrfField(secret, csrfTopicOf(plan)) }
      sendPage(res, signOutPage({ frame, form, email: plan.session.email }), plan.redirectUrl)
      return
    }
    await signOutAsPlanned(deps, organization, plan, requestIdOf(req))
    sendAway(req, res, scene)
  })

  router.post(path, formReader(32 * 1024), async (req, res) => {
    if (formOf(req)['action'] !== 'sign_out') {
      // An application's form comes without our cookies, which a browser sends with the GET that follows (SameSite=Lax).
      sendToPage(req, res, queryOf(formOf(req)))
      return
    }
    const scene = await sceneOf(req, res)
    if (scene === undefined) return
    const { plan, organization, frame, query } = scene
    if (plan.session === undefined) {
      // It is over already, or our cookies are missing, as with a form of another site: the GET that follows knows.
      sendToPage(req, res, query)
      return
    }
    if (secretOfOurForm(req, deps.config, csrfTopicOf(plan)) === undefined) {
      sendPage(res.status(403), errorPage(frame, frame.texts.otherBrowser))
      return
    }
    await signOutAsPlanned(deps, organization, plan, requestIdOf(req))
    sendAway(req, res, scene)
  })

  router.all(path, (req, res) => {
    const frame = frameOf(req, undefined, undefined)
    const page = errorPage(frame, frame.texts.invalidRequest('This address takes GET and POST.'))
    sendPage(res.status(405).set('Allow', 'GET, HEAD, POST'), page)
  })

  return router

  /** What a request comes to, with what its page needs; undefined when a page has said that it comes to nothing. */
  async function sceneOf(req: Request, res: Response): Promise<Scene | undefined> {
    const organization = await findOrganizationByDomain(deps, OrganizationPath.parse(req.params).org_domain)
    if (organization === undefined) {
      const frame = frameOf(req, undefined, undefined)
      sendPage(
        res.status(404),
        errorPage(frame, frame.texts.invalidRequest('No organization has this address.')),
      )
      return undefined
    }
    const sent = readParameters(req.query)
    const { organizationId } = organization
    const plan = await planSignOut(deps, {
      organization,
      idTokenHint: sent.id_token_hint,
      clientId: sent.client_id,
      postLogoutRedirectUri: sent.post_logout_redirect_uri,
      state: sent.state,
      sessionSecretOf: (environment) =>
        findSessionSecret(req.headers.cookie, isHttps, { organizationId, environment }),
    })
    if ('fault' in plan) {
      const frame = frameOf(req, organization, undefined)
      const detail = logoutFaults[plan.fault]
      sendPage(res.status(400), errorPage(frame, frame.texts.invalidRequest(detail)))
      return undefined
    }
    const query = queryOf(req.query)
    return { plan, organization, query, frame: frameOf(req, organization, plan.environment) }
  }

  function sendToPage(req: Request, res: Response, query: string): void {
    res.status(303).set(pageHeaders(isHttps)).set('Location', `${req.path}${query}`).end()
  }

  function sendAway(req: Request, res: Response, { plan, organization, frame }: Scene): void {
    const { environment, redirectUrl } = plan
    const place = environment && { organizationId: organization.organizationId, environment }
    // A request that came without the cookie may be of another site, and knows nothing of the session.
    if (place !== undefined && findSessionSecret(req.headers.cookie, isHttps, place) !== undefined) {
      res.append('Set-Cookie', clearSessionCookie(isHttps, place))
    }
    if (redirectUrl === undefined) sendPage(res, signedOutPage({ frame }))
    else res.status(303).set(pageHeaders(isHttps, redirectUrl)).set('Location', redirectUrl).end()
  }

  function sendPage(res: Response, page: string, redirectUri?: string): void {
    res.vary('Accept-Language').set(pageHeaders(isHttps, redirectUri)).type('html').send(page)
  }

  function frameOf(
    req: Request,
    organization: PublicOrganization | undefined,
    environment: Environment | undefined,
  ): Frame {
    const texts = textsFor({
      uiLocales: readParameters(req.query).ui_locales ?? '',
      organizationLocale: organization?.locale,
      acceptLanguage: req.headers['accept-language'],
    })
    return {
      texts,
      organization,
      isSandbox: environment === 'sandbox',
      productName,
      styleUrl,
      scriptUrl,
      url: `${req.path}${queryOf({ ...req.query, ui_locales: undefined })}`,
    }
  }
}

/** What would be right, for who has written the application. */
const logoutFaults: Readonly<Record<SignOutFault, string>> = {
  id_token_hint: 'id_token_hint must be an ID token of this organization.',
  client_id: 'client_id must be an application of this organization, and the one that id_token_hint is for.',
  post_logout_redirect_uri:
    'post_logout_redirect_uri must be one of allowed_logout_urls, to the letter, of the application that id_token_hint or client_id names.',
}

interface Scene {
  readonly plan: SignOutPlan
  readonly organization: PublicOrganization
  readonly frame: Frame
  /** The request's own parameters, to be sent with the form once more; with its question mark, or empty. */
  readonly query: string
}

/** The form of a page signs out of the session that the page has shown, and of no other. */
function csrfTopicOf({ session }: SignOutPlan): string {
  return `logout:${session?.sessionId ?? ''}`
}

/** Each parameter that was sent once, and is not longer than any of ours. */
function readParameters(from: Readonly<Record<string, unknown>>): { readonly [Name in Parameter]?: string } {
  const entries = Object.entries(parameters).flatMap(([name, max]) => {
    const value = from[name]
    return typeof value === 'string' && value !== '' && value.length <= max ? [[name, value] as const] : []
  })
  return Object.fromEntries(entries)
}

function queryOf(from: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(readParameters(from)).toString()
  return query === '' ? '' : `?${query}`
}
