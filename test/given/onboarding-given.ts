import type { Client } from '@portico/sdk'
import { anything } from './given.js'
import type { Service } from './harness.js'
import { ssoGivenOf } from './sso-given.js'
import { createVisitor, csrfOf, type Seen, type Visitor } from './visitor.js'

type NewSsoConnection = Parameters<Client['ssoConnections']['create']>[0]
type SsoConnection = Awaited<ReturnType<Client['ssoConnections']['create']>>

/** A connection whose administrator received the onboarding link by mail. */
export interface OnboardingScene {
  readonly connection: SsoConnection
  readonly org_domain: string
  readonly organization_id: string
  readonly email: string
  /** The link in the mail. */
  readonly link: string
}

export type OnboardingGiven = ReturnType<typeof onboardingGivenOf>

/**
 * Administrators at different steps of the onboarding.
 *
 * @param mailedTo The mails to an address, newest first; default: those of the outbox.
 */
export function onboardingGivenOf(
  service: Service,
  client: Client,
  mailedTo?: (to: string) => Promise<string[]>,
) {
  const sso = ssoGivenOf(client)

  async function mailsTo(to: string): Promise<string[]> {
    if (mailedTo !== undefined) return mailedTo(to)
    await service.runJobs()
    const { data } = await client.outbox.list({ to })
    return data.map(({ text }) => text)
  }

  async function linkTo(email: string): Promise<string> {
    const links = (await mailsTo(email)).flatMap((text) => /^http\S+\/onboarding\S*$/m.exec(text) ?? [])
    const [link] = links
    if (link === undefined) throw new Error(`no invitation was mailed to ${email}`)
    return link
  }

  /** The latest code mailed to an address. */
  async function codeTo(email: string): Promise<string> {
    const codes = (await mailsTo(email)).flatMap((text) => /^\d{6}$/m.exec(text) ?? [])
    const [code] = codes
    if (code === undefined) throw new Error(`no code was mailed to ${email}`)
    return code
  }

  /** A code other than the mailed one. */
  async function wrongCode(email: string): Promise<string> {
    return String((Number(await codeTo(email)) + 1) % 1_000_000).padStart(6, '0')
  }

  async function invited(members: Partial<NewSsoConnection> = {}): Promise<OnboardingScene> {
    const email = `it-${anything()}@corp.example`
    const { domain: org_domain, id } = await service.given.organization()
    const organization_id = members.organization_id ?? id
    const connection = await client.ssoConnections.create({
      organization_id,
      sso_admin_email: email,
      send_email: true,
      ...members,
    })
    return { connection, org_domain, organization_id, email, link: await linkTo(email) }
  }

  /** An administrator of an organization with these connections. */
  async function invitedToAll(count: number) {
    const email = `it-${anything()}@corp.example`
    const { domain: org_domain, id: organization_id } = await service.given.organization()
    const connections: SsoConnection[] = []
    for (let made = 0; made < count; made++)
      connections.push(await client.ssoConnections.create({ organization_id }))
    await client.admins.invite({ org_domain, email })
    return { org_domain, organization_id, email, connections, link: await linkTo(email) }
  }

  /** A browser on the page that asks for the code. */
  async function atCode({ link }: { link: string }, visitor = createVisitor(service.baseUrl)) {
    const invitation = await visitor.visit(link)
    const page = await visitor.press(invitation, 'continue', { token: tokenOf(link) })
    return { visitor, invitation, page }
  }

  /** A browser whose administrator has signed in. */
  async function arrived(scene: { link: string; email: string }, visitor = createVisitor(service.baseUrl)) {
    const { page: code } = await atCode(scene, visitor)
    const page = await visitor.press(code, 'verify', { code: await codeTo(scene.email) })
    return { visitor, page }
  }

  /** The same in a scene of its own. */
  async function newArrival() {
    const scene = await invited()
    return { scene, ...(await arrived(scene)) }
  }

  /** A browser that waits for the code, in a scene of its own. */
  async function atNewCode() {
    const scene = await invited()
    return { scene, ...(await atCode(scene)) }
  }

  /** The same with a product chosen: the first step of its tutorial. */
  async function inTutorial(of?: OnboardingScene, provider_type = 'okta') {
    const scene = of ?? (await invited())
    const { visitor, page } = await arrived(scene)
    return { scene, visitor, page: await visitor.press(page, 'choose', { provider_type }) }
  }

  /** Sends the form of the upload as a browser does, as a file or pasted. */
  async function upload(
    { connection: { idp_id } }: Pick<OnboardingScene, 'connection'>,
    visitor: Visitor,
    sent: { file?: string | Blob; xml?: string },
    headers: Record<string, string> = { origin: service.baseUrl },
  ): Promise<Seen> {
    const page = await visitor.visit(`/onboarding/${idp_id}/metadata`)
    const body = new FormData()
    body.set('csrf', csrfOf(page.html))
    body.set('action', 'upload')
    body.set('xml', sent.xml ?? '')
    body.set('file', new Blob([sent.file ?? '']), sent.file === undefined ? '' : 'metadata.xml')
    return visitor.request(`/onboarding/${idp_id}/metadata`, { method: 'POST', headers, body })
  }

  /** Confirms the upload under review. */
  async function confirm({ connection }: Pick<OnboardingScene, 'connection'>, visitor: Visitor) {
    const review = await visitor.visit(`/onboarding/${connection.idp_id}/review`)
    return visitor.press(review, 'confirm', { upload_id: uploadIdOf(review) })
  }

  function onboardingOf({ connection: { idp_id } }: Pick<OnboardingScene, 'connection'>) {
    return client.ssoConnections.get({
      idp_id,
      preload_associations: ['enterprise_connection_onboarding'],
    })
  }

  async function adminOf({ org_domain, email }: Pick<OnboardingScene, 'org_domain' | 'email'>) {
    const { data } = await client.admins.list({ org_domain })
    return data.find((admin) => admin.email === email)
  }

  /** The codes of the administrators' log events, oldest first. */
  async function logCodes(): Promise<string[]> {
    const rows = await service.query<{ event_code: string }>(
      `select event_code from log_events where event_code like 'ADMIN%' order by inserted_at`,
    )
    return rows.map((row) => row.event_code)
  }

  return {
    sso,
    mailsTo,
    linkTo,
    codeTo,
    wrongCode,
    invited,
    invitedToAll,
    atCode,
    atNewCode,
    arrived,
    newArrival,
    inTutorial,
    upload,
    confirm,
    onboardingOf,
    adminOf,
    logCodes,
  }
}

/** The path of a page of the onboarding. */
export function pathOf({ connection }: Pick<OnboardingScene, 'connection'>, page = ''): string {
  return `/onboarding/${connection.idp_id}${page}`
}

export function tokenOf(link: string): string {
  return new URL(link).searchParams.get('token') ?? ''
}

export function uploadIdOf({ html }: Pick<Seen, 'html'>): string {
  return /name="upload_id" value="([\w-]+)"/.exec(html)?.[1] ?? ''
}
