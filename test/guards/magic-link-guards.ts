import { guard, guardTest } from './guard.js'
const consume = 'server/src/sign-in/magic-link/consume.ts'
const consumedLink = 'server/src/sign-in/magic-link/consumed-link.ts'

const organizationId = 'server/src/platform/db/organization-id.ts'
const router = 'server/src/pages/magic-link/router.ts'

const link = (title: string) => guardTest('magic-link', `the button of a magic link ${title}`)
const form = (title: string) => guardTest('magic-link', `the form of a magic link ${title}`)
const signsIn = link('signs its user in')

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
    name: 'deleted_at: organization of a link, with organizationIdOf',
    file: consumedLink,
    ...withoutLine(4),
    also: [{ file: organizationId, find: 'and deleted_at is null', replace: '' }],
    red: link('is dead when its organization was deleted'),
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
    name: 'organization: of the application of a link',
    file: consumedLink,
    find: "${isUsableBy(sql.ref('challenge.organization_id'))}",
    replace: 'applications.deleted_at is null',
    red: link('is dead when another organization keeps its application to itself by now'),
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
    name: 'secrets in events',
    file: 'server/src/delivery/events/emit.ts',
    find: 'withoutSecrets(eventCatalog[emission.code].data, emission.record) ?? {}',
    replace: 'emission.record',
    red: guardTest('tenancy', 'an event tells of a link without the link'),
    green: signsIn,
  }),
]
