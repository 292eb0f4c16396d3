import { AccountPath, OrganizationPath } from '@portico/contract/fields'
import { accountOf, organizationOf, type NamedIssuer } from '../../tokens/issuer.js'
import type { Frame } from './layout.js'
import { textsFor } from './locale.js'
import { logoOf } from './organization.js'
import type { PageOwner } from './page-owner.js'
import { pageHeaders } from './page-headers.js'

/** Data shared by all pages of a service. */
export interface Site {
  readonly isHttps: boolean
  readonly baseUrl: string
  readonly productName: string
  readonly styleUrl: string
  /** Beside the first, for lists and records. */
  readonly screensStyleUrl: string
  readonly scriptUrl: string
  /** Beside it, where an authenticator answers. */
  readonly passkeyScriptUrl: string
  readonly fontUrl: string
}

/** The parts of a request that pages use. */
export interface PageRequest {
  readonly params: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers: { readonly 'accept-language'?: string | undefined }
}

/** The page that is requested. */
interface PageAt {
  readonly organization: PageOwner | undefined
  readonly isSandbox: boolean
  /** Undefined when it cannot be shown again. */
  readonly url: string | undefined
  /** Language tags that the application prefers; the parameter of the address overrides them. */
  readonly uiLocales?: string | null
}

export function frameOf(
  { styleUrl, scriptUrl, passkeyScriptUrl, fontUrl, ...site }: Omit<Site, 'screensStyleUrl'>,
  req: PageRequest,
  at: PageAt,
): Frame {
  const texts = textsFor({
    uiLocales: `${textOf(req.query.ui_locales)} ${at.uiLocales ?? ''}`,
    organizationLocale: at.organization?.locale,
    acceptLanguage: req.headers['accept-language'],
  })
  const { organization, isSandbox, url } = at
  const productName = organization?.product_name ?? site.productName
  return {
    ...{ texts, organization, isSandbox, productName },
    ...{ styleUrl, scriptUrl, passkeyScriptUrl, fontUrl, url },
  }
}

/** The parts of a response that pages use. */
interface PageResponse {
  set(headers: Record<string, string>): this
  type(type: string): this
  send(body: string): unknown
}

/** The organization of a page, and the final target of its form. */
export interface PageDestination {
  readonly organization: PageOwner | undefined
  readonly redirectUri?: string | undefined
  /** Of other organizations on the page. */
  readonly logoUrls?: readonly string[] | undefined
}

/** Sends a page with a content security policy for its logo and its form. */
export function sendPage(
  { isHttps }: Site,
  res: PageResponse,
  page: string,
  { organization, redirectUri, logoUrls = [] }: PageDestination,
): void {
  res
    .set(pageHeaders(isHttps, redirectUri, logoOf(organization)?.url, ...logoUrls))
    .type('html')
    .send(page)
}

/** The organization that the address names. */
export function domainOf({ params }: Pick<PageRequest, 'params'>): string {
  return OrganizationPath.parse(params).org_domain
}

/** The paths of the issuers, under which their endpoints are. */
const issuerPaths = ['/t/:org_domain', '/a/:account_domain'] as const

/** The paths of an endpoint that every issuer has. */
export function pathsOfIssuers(endpoint: string): string[] {
  return issuerPaths.map((path) => `${path}${endpoint}`)
}

/** The issuer that the address names. */
export function issuerAt({ params }: Pick<PageRequest, 'params'>): NamedIssuer {
  const account = AccountPath.safeParse(params).data
  return account === undefined ? organizationOf(OrganizationPath.parse(params)) : accountOf(account)
}

/** The fields of a form that was sent. */
export function formOf({ body }: Pick<PageRequest, 'body'>): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** A parameter; '' when it is missing, is not a string or is too long. */
export function textOf(value: unknown, maxLength = 300): string {
  return typeof value === 'string' && value.length <= maxLength ? value : ''
}
