import { guard, protocolTest, unitTest } from './guard.js'

const folder = 'server/src/sso/sign-in'
const admission = `${folder}/admission.ts`
const asserted = `${folder}/asserted-identity.ts`
const destination = `${folder}/destination.ts`
const totpAsked = 'server/src/directory/sessions/totp-asked.ts'
const finish = 'server/src/sign-in/flows/finish.ts'

const signsIn = (title: string) => protocolTest('saml-sign-in', title)
const links = (title: string) => protocolTest('saml-linking', title)
const seats = (title: string) => protocolTest('saml-seats', title)

const knownUser = (title: string) => links(`a user who is there already ${title}`)
const letsIn = (title: string) => links(`whom a connection lets in ${title}`)
const factor = (title: string) => signsIn(`the second factor after SSO ${title}`)

const isLinked = knownUser('is linked where the connection is the only one of the organization')

/** As whom somebody comes in by an identity provider, and whether they may. */
export const samlUserGuards = [
  guard({
    name: 'saml: names that users choose are no addresses',
    file: asserted,
    find: "const fallbackNames = [`${claims}/upn`, 'upn', `${claims}/name`]",
    replace: "const fallbackNames = [`${claims}/upn`, 'upn', 'name', `${claims}/name`]",
    red: unitTest(asserted, 'a name that users give themselves is no address'),
    green: unitTest(asserted, 'an address is found under the names that products have for it'),
  }),
  guard({
    name: 'saml: linking by an address that no domain vouches for',
    file: admission,
    find: "authority === 'trusted' &&",
    replace: "authority !== 'claimed' &&",
    red: knownUser('is not linked by one of several connections to whose organization no domain belongs'),
    green: isLinked,
  }),
  guard({
    name: 'saml: users who must be in the directory',
    file: admission,
    find: "userPolicy === 'none' ||\n    (user !== undefined &&",
    replace: "userPolicy === 'none' ||\n    userPolicy === 'user_registered' ||\n    (user !== undefined &&",
    red: letsIn('whoever is in the directory, where the policy is user_registered'),
    green: isLinked,
  }),
  guard({
    name: 'saml: seats of many at once, by several connections',
    file: admission,
    find: "const name = ['seats', key.accountId, key.environment, key.organizationId].join(' ')",
    replace: "const name = ['seats', key.accountId, key.environment, key.connectionId].join(' ')",
    red: seats('the seats of an organization are the same for all of its connections'),
    green: seats('the seats of an organization are not asked of users who have one'),
  }),
  guard({
    name: 'saml: redirect URLs that are allowed at the end',
    file: destination,
    find: '.where(sql<boolean>`${key.redirectUri} = any(applications.allowed_redirect_urls)`)',
    replace: '.where(sql<boolean>`${key.redirectUri}::text is not null`)',
    red: letsIn('nobody for an application that does not allow the address any more'),
    green: isLinked,
  }),
  guard({
    name: 'saml: TOTP of who comes from an identity provider, where the application demands two factors',
    file: totpAsked,
    find: "return isMfaRequired || (isTotpAsked && !amr.includes('sso'))",
    replace: "return !amr.includes('sso') && (isMfaRequired || isTotpAsked)",
    red: factor('is asked where the application demands it and the identity provider has not'),
    green: factor('is not asked of a user who has one here, nor of their session afterwards'),
  }),
  guard({
    name: 'saml: TOTP of everybody else at the end of a flow',
    file: finish,
    find: "flow.amr && array['mfa', 'sso'] or not",
    replace: 'true or not',
    red: protocolTest(
      'flow-second-factor',
      'a sign-in that waits after one factor does not end once the organization asks for the second factor',
    ),
    green: factor('is not asked of a user who has one here, nor of their session afterwards'),
  }),
]
