import { guard, without } from './guard.js'

const adminSession = 'server/src/sso/admins/admin-session.ts'
const connections = 'server/src/sso/onboarding/connections.ts'
const verifyCode = 'server/src/sso/onboarding/verify-code.ts'
const progress = 'server/src/sso/onboarding/progress.ts'
const upload = 'server/src/sso/onboarding/waiting-upload.ts'
const directories = 'server/src/sso/onboarding/directories.ts'
const links = 'server/src/sso/invitations/links.ts'
const codeLimits = 'server/src/sso/onboarding/code-limits.ts'
const leaving = 'server/src/pages/onboarding/leaving.ts'
const arrivalRouter = 'server/src/pages/onboarding/arrival/router.ts'
const router = 'server/src/pages/onboarding/router.ts'

const inFile = (name: string) => (title: string) => ({ file: `test/protocols/${name}.test.ts`, title })
const onboards = inFile('onboarding')
const takesSteps = inFile('onboarding-steps')
const uploads = inFile('onboarding-upload')
const limited = inFile('onboarding-limits')
const ofProduction = inFile('onboarding-production')
const ofProtocol = (title: string) => inFile('onboarding-oidc')(`the choice of the protocol ${title}`)
const ofDirectory = (title: string) => inFile('onboarding-directory')(`the page of a directory ${title}`)
const makesSecret = ofDirectory(
  'makes a secret that works, shows it once, and leaves the one before for 24 hours',
)

const letsIn = onboards(
  'the link of an invitation and the code of the mail let the administrator in, which their record and the connection say',
)
const fiveTries = onboards('the code has five tries, and then another one has to be asked for')
const goesOn = takesSteps('the steps go on and back, are kept for another browser, and are told by events')
const isStored = uploads(
  'metadata of a file are read, shown, and stored when the administrator confirms them',
)
const ownForms = onboards(
  'the session of an administrator takes no form of another site, of another browser, or without its field',
)

const reachesBoth = ofProduction(
  'an invitation to the organization from production shows the connections of both environments, marked',
)
const endsByInvitation = uploads(
  'a session that ends by another invitation keeps neither its code nor what was uploaded',
)

const ofSession = "ofOrganization({ accountId, organizationId }, 'sso_connections')"

/** Who gets to the onboarding of a connection, and what each step of it takes. */
export const onboardingGuards = [
  guard({
    name: 'onboarding: the protocol of a connection that is set up',
    file: progress,
    find: 'if (connection.isSetUp) return false',
    replace: '',
    also: [
      {
        file: 'server/src/sso/connections/protocol.ts',
        find: 'if (isFixed) {',
        replace: 'if (isFixed && false) {',
      },
      { file: progress, find: ".where('state', '=', 'provider_type_chosen')", replace: '' },
    ],
    red: ofProtocol('stands once there is a client'),
    green: ofProtocol('is asked of Entra and Google alone, and decides the steps'),
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
    name: 'onboarding: the version of a directory that gets a secret',
    file: directories,
    find: 'resetDirectorySync(deps, tenant, [version])',
    replace: 'resetDirectorySync(deps, tenant, version > 0 ? undefined : [version])',
    red: ofDirectory('makes one secret, however often its form is sent'),
    green: makesSecret,
  }),
  guard({
    name: 'onboarding: forms of the page of a directory',
    file: 'server/src/pages/onboarding/directory/router.ts',
    find: 'if (!isSentByAdmin(req, site, { ...session, secret }))',
    replace: 'if (session.email === secret)',
    red: ofDirectory('does nothing for a form that another site has sent'),
    green: makesSecret,
  }),
  guard({
    name: 'onboarding: the code before the pages',
    file: adminSession,
    find: 'return browser?.isVerified === true ? browser : undefined',
    replace: 'return browser',
    red: onboards(
      'the link of an invitation lets nobody in without the code: the browser is asked for it at every address',
    ),
    green: letsIn,
  }),
  guard({
    name: 'onboarding: the code itself',
    file: verifyCode,
    find: 'if (sealed !== null && isAdminCode(openAdminCode(deps.keys.master, browser, sealed), code)) {',
    replace: 'if (sealed !== null && openAdminCode(deps.keys.master, browser, sealed) !== code + code) {',
    red: fiveTries,
    green: letsIn,
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
    name: 'onboarding: origin and field of a form',
    file: leaving,
    find: 'return isSentByOurPage(req.headers, baseUrl) && isCsrfFieldOf(secret, sessionId, textOf(formOf(req).csrf))',
    replace: 'return secret !== sessionId + baseUrl',
    red: ownForms,
    green: goesOn,
  }),
  guard({
    name: 'onboarding: the form of the invitation',
    file: arrivalRouter,
    find: 'if (secretOfOurForm(req, site, address.token) === undefined) {',
    replace: 'if (secretOfOurForm(req, site, address.token) === address.token) {',
    red: onboards('the form of the invitation is taken from our page in the same browser alone'),
    green: letsIn,
  }),
  guard({
    name: 'onboarding: the step that is left',
    file: progress,
    find: ".where('tutorial_step', '=', from)",
    replace: '',
    also: [
      {
        file: 'server/src/pages/onboarding/tutorial-step.ts',
        find: "if (field('step') !== String(shown)) return { goTo: 'tutorial' }",
        replace: '',
      },
    ],
    red: takesSteps('the steps of two browsers, one behind the other, move by what each has seen'),
    green: goesOn,
  }),
  guard({
    name: 'onboarding: the upload that was looked at',
    file: upload,
    find: ".where('upload_id', '=', uploadId)",
    replace: ".where('upload_id', 'is not', null)",
    red: uploads(
      'metadata are stored once, however often they are confirmed, and not when others were uploaded meanwhile',
    ),
    green: isStored,
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
    name: 'onboarding: the connection of a test',
    file: 'server/src/sso/sign-in/login-attempts.ts',
    find: "return db.selectFrom('sso_login_traces').where(isOfConnection('sso_login_traces', key))",
    replace:
      "return db.selectFrom('sso_login_traces').where('sso_login_traces.account_id', '=', key.accountId)",
    red: uploads('the test of another connection is not there'),
    green: isStored,
  }),
  guard({
    name: 'onboarding: a test that is only looked for',
    file: router,
    find: 'visit: startTest',
    replace: 'get: startTest',
    red: uploads('the test does not begin for what only looks'),
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
    name: 'onboarding: what becomes of invitations of the sandbox, unseen by production',
    file: 'server/src/sso/invitations/admin-moments.ts',
    find: "if (environment === 'production') return moments",
    replace: "if (environment === 'production' || environment === 'sandbox') return moments",
    red: ofProduction(
      'an administrator whom production has invited is seen by production as production has invited them, whatever becomes of an invitation of the sandbox',
    ),
    green: reachesBoth,
  }),
  guard({
    name: 'onboarding: the code before a refusal',
    file: arrivalRouter,
    find: 'else if (browser.isVerified) await leave(exchange, browser, action)',
    replace: "else if (browser.isVerified || action === 'decline') await leave(exchange, browser, action)",
    red: takesSteps(
      'who is not in charge says so behind the code: the link alone, which may have been forwarded, ends nothing',
    ),
    green: letsIn,
  }),
  guard({
    name: 'onboarding: codes of another network',
    file: codeLimits,
    find: 'await limits.take(codes, { ...account, address: `${linkId} ${networkOfClient(ip)}` })',
    replace: 'await limits.take(codes, { ...account, address: linkId })',
    red: limited('codes that one network has sent keep nobody out who opens the link elsewhere'),
    green: letsIn,
  }),
  guard({
    name: 'onboarding: tries at one link over all networks',
    file: codeLimits,
    find: 'return count > state.limit ? undefined : attempt',
    replace: 'return count < 0 ? undefined : attempt',
    red: limited('of one link a hundred codes are tried in a day, from wherever'),
    green: letsIn,
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
