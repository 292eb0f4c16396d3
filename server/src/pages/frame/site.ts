import { OrganizationPath } from '@portico/contract/fields'
import type { PublicOrganization } from '../../directory/organizations/find-organization.js'
import type { Frame } from './layout.js'
import { textsFor } from './locale.js'
import { logoOf } from './organization.js'
import { pageHeaders } from './page-headers.js'

/** What the pages of one service have in common. */
export interface Site {
  readonly isHttps: boolean
  readonly baseUrl: string
  readonly productName: string
  readonly styleUrl: string
  readonly scriptUrl: string
}

/** What a router knows of a request, and a page asks of it. */
export interface PageRequest {
  readonly params: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers: { readonly 'accept-language'?: string | undefined }
}

/** Which page is asked for. */
interface PageAt {
  readonly organization: PublicOrganization | undefined
  readonly isSandbox: boolean
  /** Undefined where it cannot be shown again. */
  readonly url: string | undefined
  /** Language tags that the application would like; the address of the page stands over them. */
  readonly uiLocales?: string | null
}

export function frameOf({ productName, styleUrl, scriptUrl }: Site, req: PageRequest, at: PageAt): Frame {
  const texts = textsFor({
    uiLocales: `${textOf(req.query.ui_locales)} ${at.uiLocales ?? ''}`,
    organizationLocale: at.organization?.locale,
    acceptLanguage: req.headers['accept-language'],
  })
  const { organization, isSandbox, url } = at
  return { texts, organization, isSandbox, productName, styleUrl, scriptUrl, url }
}

/** What a router answers with. */
interface PageResponse {
  set(headers: Record<string, string>): this
  type(type: string): this
  send(body: string): unknown
}

/** Whose page it is, and where its form leads in the end. */
export interface Destination {
  readonly organization: PublicOrganization | undefined
  readonly redirectUri?: string | undefined
}

/** Sends a page with a policy of what it loads and where it leads. */
export function sendPage(
  { isHttps }: Site,
  res: PageResponse,
  page: string,
  { organization, redirectUri }: Destination,
): void {
  res
    .set(pageHeaders(isHttps, redirectUri, logoOf(organization)?.url))
    .type('html')
    .send(page)
}

/** The organization that the address names. */
export function domainOf({ params }: Pick<PageRequest, 'params'>): string {
  return OrganizationPath.parse(params).org_domain
}

/** The fields of a form that was sent. */
export function formOf({ body }: Pick<PageRequest, 'body'>): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** A parameter; the empty text when it is missing, is none, or is longer than any of ours. */
export function textOf(value: unknown, maxLength = 300): string {
  return typeof value === 'string' && value.length <= maxLength ? value : ''
}
