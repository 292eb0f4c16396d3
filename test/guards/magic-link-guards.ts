import { contractTest, guard, guardTest, routeTests } from './guard.js'

const challenge = 'server/src/sign-in/magic-link/challenge.ts'
const consume = 'server/src/sign-in/magic-link/consume.ts'
const consumedLink = 'server/src/sign-in/magic-link/consumed-link.ts'

const organizationId = 'server/src/platform/db/organization-id.ts'
const router = 'server/src/pages/magic-link/router.ts'
const csrf = 'server/src/pages/frame/csrf.ts'

const createChallenge = routeTests('magicLink.createChallenge')

const link = (title: string) => guardTest('magic-link', `the button of a magic link ${title}`)
const form = (title: string) => guardTest('magic-link', `the form of a magic link ${title}`)
const get = (title: string) => guardTest('magic-link', `a GET of a magic link ${title}`)
const signsIn = link('signs its user in')
const getSignsIn = get('signs in where a test asks for JSON')

/** What spends a token, but for one of its lines. The page that shows the link asks for the same, and decides nothing. */
function withoutLine(index: number) {
  const lines = [
    ".where('challenge.used_at', 'is', null)",
    ".where('challenge.voided_at', 'is', null)",
    ".where('challenge.expires_at', '>', link.at)",
    ".where('organizations.domain', '=', link.organizationDomain)",
    ".where('organizations.deleted_at', 'is', null)",
  ]
  return { find: lines.join(''), replace: lines.toSpliced(index, 1).join('') }
}

/** Whom a link lets in, and how often. */
export const magicLinkGuards = [
  guard({
    name: 'active connection: making a link',
    file: challenge,
    find: "if (!addressee.active) throw new ApiError('connection_inactive')",
    replace: '',
    red: createChallenge.refuses('connection_inactive'),
    green: createChallenge.refuses('user_not_found'),
  }),
  guard({
    name: 'allowed e-mail domains: making a link',
    file: challenge,
    find: 'if (!isEmailDomainAllowed(addressee.allowed_email_domains, email))',
    replace: 'if (false)',
    red: createChallenge.refuses('email_domain_not_allowed'),
    green: createChallenge.refuses('user_not_found'),
  }),
  guard({
    name: 'application of the organization: beside a password request',
    file: challenge,
    find: 'if (input.application_id !== undefined) await checkUsable(deps.db, tenant, input.application_id)',
    replace: '',
    red: contractTest(
      'password-request',
      'the link of a request 404: beside an application that the organization cannot use, as beside one that there is not; 422: beside one of its others',
    ),
    green: createChallenge.refuses('user_not_found'),
  }),
  guard({
    name: 'active user: making a link',
    file: challenge,
    find: "if (addressee.is_user_active === false) throw new ApiError('user_inactive')",
    replace: '',
    red: createChallenge.refuses('user_inactive'),
    green: createChallenge.refuses('user_not_found'),
  }),
  guard({
    name: 'known user: making a link',
    file: challenge,
    find: "if (addressee.user_id === null && !addressee.find_or_create_user) throw new ApiError('user_not_found')",
    replace: '',
    red: createChallenge.refuses('user_not_found'),
    green: createChallenge.refuses('user_inactive'),
  }),
  guard({
    name: 'used_at: of a link',
    file: consumedLink,
    ...withoutLine(0),
    red: link('works once'),
    green: signsIn,
  }),
  guard({
    name: 'voided_at: of a link',
    file: consumedLink,
    ...withoutLine(1),
    red: link('is dead when three links were made after its own'),
    green: signsIn,
  }),
  guard({
    name: 'voided_at: number of open links',
    file: 'server/src/sign-in/magic-link/insert-link.ts',
    find: 'await voidOlderLinks(trx, tenant, { email, applicationId, flowId: link.flowId, newestId: row.id, at })',
    replace: '',
    red: link('is dead when three links were made after its own'),
    green: signsIn,
  }),
  guard({
    name: 'voided_at: siblings of a used link',
    file: consume,
    find: 'await voidSiblings(deps, trx, consumedLink)',
    replace: '',
    red: link('is dead when another link of its user was used'),
    green: signsIn,
  }),
  guard({
    name: 'expiry: of a link',
    file: consumedLink,
    ...withoutLine(2),
    red: link('works for a quarter of an hour'),
    green: signsIn,
  }),
  guard({
    name: 'organization: of a link',
    file: consumedLink,
    ...withoutLine(3),
    red: link('takes no token of another organization'),
    green: signsIn,
  }),
  guard({
    name: 'deleted_at: organization of a link, with organizationIdOf',
    file: consumedLink,
    ...withoutLine(4),
    also: [{ file: organizationId, find: 'and deleted_at is null', replace: '' }],
    red: link('is dead when its organization was deleted'),
    green: signsIn,
  }),
  guard({
    name: 'active connection: opening a link',
    file: consumedLink,
    find: "if (!consumedLink.is_connection_active && !isPasswordOfFlow) return 'connection_inactive'",
    replace: '',
    red: link('is dead while its connection is switched off'),
    green: signsIn,
  }),
  guard({
    name: 'allowed e-mail domains: opening a link',
    file: consumedLink,
    find: 'if (!isEmailDomainAllowed(consumedLink.allowed_email_domains, consumedLink.email_normalized))',
    replace: 'if (false)',
    red: link('is dead where its address may not sign in any more'),
    green: signsIn,
  }),
  guard({
    name: 'active user: opening a link',
    file: consume,
    find: 'if (user?.active !== true) {',
    replace: 'if (user === undefined) {',
    red: link('is dead for an inactive user'),
    green: signsIn,
  }),
  guard({
    name: 'deleted_at: application of a link',
    file: 'server/src/directory/usable.ts',
    find: 'applications.deleted_at is null and ',
    replace: '',
    red: link('is dead when its application was deleted'),
    green: signsIn,
  }),
  guard({
    name: 'organization: of the application of a link',
    file: consumedLink,
    find: "${isUsableBy(sql.ref('challenge.organization_id'))}",
    replace: 'applications.deleted_at is null',
    red: link('is dead when another organization keeps its application to itself by now'),
    green: signsIn,
  }),
  guard({
    name: 'redirect of a link',
    file: consumedLink,
    find: 'challenge.redirect_uri = any(applications.allowed_redirect_urls) or',
    replace: 'true or',
    red: link('is dead when its application does not allow the address any more'),
    green: signsIn,
  }),
  guard({
    name: 'unknown address: as the link was made',
    file: consumedLink,
    find: 'consumedLink.find_or_create_user && consumedLink.may_create_user',
    replace: 'consumedLink.may_create_user',
    red: link('makes no user when unknown addresses were not wanted as the link was made'),
    green: signsIn,
  }),
  guard({
    name: 'unknown address: as the link is opened',
    file: consumedLink,
    find: 'consumedLink.find_or_create_user && consumedLink.may_create_user',
    replace: 'consumedLink.find_or_create_user',
    red: link('makes no user once the connection does not want unknown addresses'),
    green: signsIn,
  }),
  guard({
    name: 'CSRF: cookie of the browser',
    file: router,
    find: 'if (secretOfOurForm(req, site, token) === undefined) {',
    replace: 'if (token.length === 1) {',
    red: form('is refused from a browser that has not seen its page'),
    green: signsIn,
  }),
  guard({
    name: 'CSRF: field of the form',
    file: csrf,
    find: 'return isSecretEqual(Buffer.from(field), Buffer.from(toCsrfField(secret, token)))',
    replace: 'return true',
    red: form('is refused with the field of another link'),
    green: signsIn,
  }),
  guard({
    name: 'Origin of the form',
    file: csrf,
    find: 'return origin === new URL(baseUrl).origin',
    replace: 'return true',
    red: form('is refused from another site'),
    green: signsIn,
  }),
  guard({
    name: 'Origin of the form: none',
    file: csrf,
    find: "if (origin === undefined || origin === 'null') return site === 'same-origin'",
    replace: "if (origin === undefined || origin === 'null') return true",
    red: form('is refused from a page without an origin, of another site'),
    green: signsIn,
  }),
  guard({
    name: 'GET of a link: asks for JSON',
    file: router,
    find: "return req.method === 'GET' && asksForJson && ",
    replace: "return req.method === 'GET' && ",
    red: get('signs nobody in for a browser'),
    green: getSignsIn,
  }),
  guard({
    name: 'environment: GET of a link',
    file: router,
    find: "&& link.environment === 'sandbox'",
    replace: '',
    red: get('signs nobody in to production'),
    green: getSignsIn,
  }),
  guard({
    name: 'GET of a link: returned by the API',
    file: router,
    find: '&& link.isLinkReturned',
    replace: '',
    red: get('signs nobody in with a link that was mailed'),
    green: getSignsIn,
  }),
  guard({
    name: 'environment: mail of the sandbox is kept',
    file: 'server/src/delivery/mail/deliver.ts',
    find: "scope.environment === 'sandbox' && settings.isSandboxKept",
    replace: 'false',
    also: [
      {
        file: 'server/src/delivery/mail/deliver.ts',
        find: 'settings.smtpUrl === undefined && !isProduction',
        replace: 'false',
      },
    ],
    red: guardTest('tenancy', 'a mail of the sandbox goes to nobody'),
    green: signsIn,
  }),
  guard({
    name: 'what a mail server repeats of a mail',
    file: 'server/src/platform/mail/mail-server-error.ts',
    find: 'withoutQuotes(String(cause))',
    replace: 'String(cause)',
    red: {
      file: 'server/src/platform/mail/mailer.test.ts',
      title:
        'what a mail server answers is told with its code and words, without what it repeats of a mail and without a stack: an address',
    },
    green: {
      file: 'server/src/platform/mail/smtp.test.ts',
      title: 'sends it in the clear where the address asks for that',
    },
  }),
  guard({
    name: 'secrets in events',
    file: 'server/src/delivery/events/emit.ts',
    find: 'withoutSecrets(eventCatalog[emission.code].data, emission.record) ?? {}',
    replace: 'emission.record',
    red: guardTest('tenancy', 'an event tells of a link without the link'),
    green: signsIn,
  }),
]
