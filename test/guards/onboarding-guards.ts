import { guard, without } from './guard.js'

const connections = 'server/src/sso/onboarding/connections.ts'
const upload = 'server/src/sso/onboarding/waiting-upload.ts'
const directories = 'server/src/sso/onboarding/reached-tenant.ts'
const links = 'server/src/sso/invitations/links.ts'
const router = 'server/src/pages/onboarding/router.ts'
const emailDomains = 'server/src/sso/onboarding/email-domains.ts'

const inFile = (name: string) => (title: string) => ({ file: `test/protocols/${name}.test.ts`, title })
const usesDomain = (title: string) =>
  inFile('onboarding-domains')(`a domain is used for a connection ${title}`)
const onboards = inFile('onboarding')
const uploads = inFile('onboarding-upload')
const ofProduction = inFile('onboarding-production')
const ofDirectory = (title: string) => inFile('onboarding-directory')(`the page of a directory ${title}`)
const makesSecret = ofDirectory(
  'makes a secret that works, shows it once, and leaves the one before for 24 hours',
)

const letsIn = onboards(
  'the link of an invitation and the code of the mail let the administrator in, which their record and the connection say',
)
const isStored = uploads(
  'metadata of a file are read, shown, and stored when the administrator confirms them',
)

const reachesBoth = ofProduction(
  'an invitation to the organization from production shows the connections of both environments, marked',
)
const endsByInvitation = uploads(
  'a session that ends by another invitation keeps neither its code nor what was uploaded',
)

const ofSession = "ofOrganization({ accountId, organizationId }, 'sso_connections')"

/** Guards of the onboarding of a connection: access, and the inputs of each step. */
export const onboardingGuards = [
  guard({
    name: 'onboarding: the code before a refusal',
    file: 'server/src/pages/onboarding/arrival/router.ts',
    find: 'else if (browser.isVerified) await leave(exchange, browser, action)',
    replace: "else if (browser.isVerified || action === 'decline') await leave(exchange, browser, action)",
    red: inFile('onboarding-steps')(
      'who is not in charge says so behind the code: the link alone, which may have been forwarded, ends nothing',
    ),
    green: letsIn,
  }),
  guard({
    name: 'onboarding: a directory and an invitation to one connection',
    file: directories,
    find: 'return connection === null ? reachOf[environment] : []',
    replace: 'return connection === null ? reachOf[environment] : [connection.environment]',
    red: ofDirectory(
      'is not there for whoever is invited to one connection, as one that is not there at all',
    ),
    green: makesSecret,
  }),
  guard({
    name: 'onboarding: a domain that is neither verified nor declared, used for a connection',
    file: emailDomains,
    find: "    .where('domains.state', 'in', ['verified', 'declared'])\n",
    replace: '',
    red: usesDomain(
      'not while it waits for its proof, or has lapsed: another company’s domain is nobody’s gain',
    ),
    green: usesDomain('when it is verified, or when the account has declared it'),
  }),
  guard({
    name: 'onboarding: a domain of another organization, used for a connection',
    file: emailDomains,
    find: "    .where(sameTenant('domains', 'sso_connections'))\n",
    replace: '',
    also: [{ file: emailDomains, find: '    await lockDomain(trx, tenant, id)\n', replace: '' }],
    red: usesDomain('of the organization, and not of another one, whose connections are not there either'),
    green: usesDomain('when it is verified, or when the account has declared it'),
  }),
  guard({
    name: 'onboarding: the connection of the session',
    file: connections,
    find: '.$if(connection !== null, (query) =>',
    replace: '.$if(false, (query) =>',
    also: [
      {
        file: connections,
        ...without('organization_id', ofSession),
      },
    ],
    red: onboards(
      'the session of an administrator is of its connection: another one is not there, as one that does not exist',
    ),
    green: letsIn,
  }),
  guard({
    name: 'onboarding: an upload after a reset',
    file: upload,
    find: ".where('state', 'in', ['provider_type_chosen', 'xml_provided'])",
    replace: '',
    also: [{ file: links, find: '.set(withoutUpload)', replace: '.set({ upload_id: sql`upload_id` })' }],
    red: uploads('metadata are not stored for an onboarding that has begun anew'),
    green: isStored,
  }),
  guard({
    name: 'onboarding: a test that is only looked for',
    file: router,
    find: 'visit: startTest',
    replace: 'get: startTest',
    red: inFile('onboarding-test-login')('the test does not begin for what only looks'),
    green: isStored,
  }),
  guard({
    name: 'onboarding: whom production has invited, invited by the sandbox again',
    file: 'server/src/sso/invitations/invited-admin.ts',
    find: 'is_of_production: sql`sso_admins.is_of_production or excluded.is_of_production`,',
    replace: 'is_of_production: sql`excluded.is_of_production`,',
    red: ofProduction(
      'an administrator whom production has invited 409: is not removed with a key of the sandbox, however long ago that was',
    ),
    green: reachesBoth,
  }),
  guard({
    name: 'onboarding: code and upload of a session that ends',
    file: links,
    find: 'return { ended_at: at, code_sealed: null, ...withoutUpload }',
    replace: 'return { ended_at: at }',
    red: endsByInvitation,
    green: isStored,
  }),
  guard({
    name: 'onboarding: the upload in a session of the organization after a reset',
    file: links,
    find: '.set(withoutUpload)',
    replace: '.set({ upload_id: sql`upload_id` })',
    red: uploads('metadata are not stored for an onboarding that has begun anew'),
    green: isStored,
  }),
]
