import { guard } from './guard.js'

const routesFile = 'sdk/src/session/routes.ts'
const refreshFile = 'sdk/src/session/refresh.ts'
const readerFile = 'sdk/src/session/reader.ts'
const guardsFile = 'sdk/src/session/guard.ts'
const expressFile = 'sdk/src/express.ts'
const honoFile = 'sdk/src/hono.ts'
const nextAppFile = 'sdk/src/session/next-app.ts'

const testOf = (file: string) => (title: string) => ({ file, title })
const signIn = testOf('test/clients/session/sign-in.test.ts')
const life = testOf('test/clients/session/life.test.ts')
const impersonated = testOf('test/clients/session/impersonated.test.ts')
const express = testOf('test/clients/session/express.test.ts')
const guards = testOf('test/clients/session/guard.test.ts')
const attacks = testOf('test/clients/session/attacks.test.ts')
const hono = testOf('test/clients/session/hono.test.ts')
const next = testOf('test/clients/session/next.test.ts')

/** Guards of the session layer of the SDK: its requests, and the life of its sessions. */
export const sessionLayerGuards = [
  guard({
    name: 'session layer: return_to of a switch',
    file: routesFile,
    find: "return_to: returnToOf(form.get('return_to'), settings)",
    replace: "return_to: form.get('return_to') ?? '/'",
    red: signIn('the routes below /auth switch asks for an organization, or for the choice'),
    green: signIn('the routes below /auth are those that exist, with their methods'),
  }),
  guard({
    name: 'session layer: state: an answer without one begins no session',
    file: routesFile,
    find: "if (session !== null) return redirect('/', setCookies)",
    replace: "if (session === null) return redirect('/', setCookies)",
    red: signIn(
      'the answer to a sign-in of another browser signs nobody in: what an attacker has begun is no sign-in of the victim',
    ),
    green: signIn('the answer to a sign-in whose code is refused is told so'),
  }),
  guard({
    name: 'session layer: iss of a sign-in that another asks for',
    file: routesFile,
    find: 'if (issuer !== null && issuer !== settings.issuer)',
    replace: "if (issuer === '')",
    red: signIn(
      'a sign-in is begun for somebody else, too, if they name this issuer (OpenID Connect Core section 4)',
    ),
    green: signIn('a sign-in passes on what the request says, and nothing else'),
  }),
  guard({
    name: 'session layer: a refresh keeps the user',
    file: refreshFile,
    find: 'claims.sub !== sub || ',
    replace: '',
    red: life('a session of which the refresh tells another user, organization or session is not taken'),
    green: life('a session is renewed from then on: its claims are those of now'),
  }),
  guard({
    name: 'session layer: a refresh keeps the organization',
    file: refreshFile,
    find: 'claims.org !== org || ',
    replace: '',
    red: life('a session of which the refresh tells another user, organization or session is not taken'),
    green: life('a session is renewed from then on: its claims are those of now'),
  }),
  guard({
    name: 'session layer: a refresh keeps the session',
    file: refreshFile,
    find: " || (claims.sid ?? '') !== sid)",
    replace: ')',
    red: life('a session of which the refresh tells another user, organization or session is not taken'),
    green: life('a session is renewed from then on: its claims are those of now'),
  }),
  guard({
    name: 'session layer: one exchange of a refresh token',
    file: refreshFile,
    find: 'if (isLater && now() < shared.until) return shared.outcome',
    replace: '',
    red: life('a session of which 20 requests come at once at its expiry has one successor, and lives on'),
    green: life('a session is renewed from then on: its claims are those of now'),
  }),
  guard({
    name: 'session layer: an impersonation ends with its access token',
    file: refreshFile,
    find: 'rt === undefined ? Math.min(before.end, fresh) : before.end',
    replace: 'before.end',
    red: impersonated(
      'a session of an impersonation names who acts, has no refresh token, and ends with its access token',
    ),
    green: impersonated(
      'a session of an impersonation is left without signing the member of staff out at the service',
    ),
  }),
  guard({
    name: 'session layer: what has ended is asked about',
    file: readerFile,
    find: 'const isRevoked = endedAt >= contents.iat * 1000',
    replace: 'const isRevoked = endedAt < 0 && contents.iat < 0',
    red: life('a session that a webhook tells of is over at once'),
    green: life('a session is renewed from then on: its claims are those of now'),
  }),
  guard({
    name: 'session layer: a page that cannot renew its session',
    file: readerFile,
    find: "age < graceSeconds.readOnly ? opened : 'stale'",
    replace: 'opened',
    red: life(
      'where no cookie can be written a session is good until a minute after its freshness, and as signed out then; nobody is asked',
    ),
    green: life('a session is renewed from then on: its claims are those of now'),
  }),
  guard({
    name: 'session layer: five minutes without the service',
    file: readerFile,
    find: 'if (age >= graceSeconds.outage) throw unavailable(error)',
    replace: '',
    red: life(
      'a session outlives a service that is away for 4 minutes; after 6 it is 503, and afterwards as if nothing was',
    ),
    green: life('a session asks a service that does not answer once in five seconds'),
  }),
  guard({
    name: 'session layer: no refresh token is spent where its successor cannot be kept',
    file: readerFile,
    find: 'if (use.write === undefined || contents.rt === undefined)',
    replace: 'if (contents.rt === undefined)',
    red: express(
      'the middleware for Express gives access tokens while the answer has not begun, and spends no refresh token after it has',
    ),
    green: express('the middleware for Express answers 503 while the service has been away for too long'),
  }),
  guard({
    name: 'session layer: a request of another site',
    file: guardsFile,
    find: '!isSafe(head.method) && !isSameOrigin(head, settings.appUrl)',
    replace: "!isSafe(head.method) && settings.appUrl === ''",
    red: guards('a request that changes something POST is refused from another site'),
    green: guards('a request that changes something GET passes, because it changes nothing'),
  }),
  guard({
    name: 'session layer: an Origin that only begins like the own one',
    file: guardsFile,
    find: '    : origin === appUrl',
    replace: '    : origin.startsWith(appUrl)',
    red: guards('a request that changes something POST is refused from another site'),
    green: guards('a request that changes something GET passes, because it changes nothing'),
  }),
  guard({
    name: 'session layer: a sibling is another site',
    file: guardsFile,
    find: "? headers.get('sec-fetch-site') === 'same-origin'",
    replace: "? headers.get('sec-fetch-site') !== 'cross-site'",
    red: guards('a request that changes something POST is refused from another site'),
    green: guards('a request that changes something GET passes, because it changes nothing'),
  }),
  guard({
    name: 'session layer: a sign-out by another site',
    file: routesFile,
    find: '  if (!isSameOrigin(request, appUrl))',
    replace: "  if (!isSameOrigin(request, appUrl) && appUrl === '')",
    red: guards(
      'a request that changes something a sign-out or a switch by another site is refused, and ends nothing',
    ),
    green: guards('a request that changes something POST is refused from another site'),
  }),
  guard({
    name: 'session layer: the organization that a path names',
    file: guardsFile,
    find: 'if (organization !== undefined && organization !== auth.organization.domain)',
    replace: "if (organization === undefined && auth.organization.domain === '')",
    red: guards(
      'the organization that a path names of a tab that was left open in another one is 409 for what it writes',
    ),
    green: guards('a permission is one of the claim permissions'),
  }),
  guard({
    name: 'session layer: a request that names no organization',
    file: guardsFile,
    find: "organization: typeof named === 'string' ? named : ''",
    replace: "organization: typeof named === 'string' ? named : undefined",
    red: express(
      'the middleware for Express refuses a request that names no organization where one is demanded',
    ),
    green: express(
      'the middleware for Express guards routes: the organization of the path, a second factor, a permission',
    ),
  }),
  guard({
    name: 'session layer: a second factor',
    file: guardsFile,
    find: 'const isWeak = acr !== undefined && !isStrongEnough(session.acr, acr)',
    replace: "const isWeak = acr === ''",
    red: guards('a stronger sign-in is told to a script (RFC 9470 section 3)'),
    green: guards(
      'a stronger sign-in is asked for when the last one is too long ago, by half a minute more for other clocks',
    ),
  }),
  guard({
    name: 'session layer: the age of a sign-in',
    file: guardsFile,
    find: 'const isOld = maxAgeSeconds !== undefined && age > maxAgeSeconds + clockTolerance',
    replace: 'const isOld = maxAgeSeconds !== undefined && age < 0',
    red: guards(
      'a stronger sign-in is asked for when the last one is too long ago, by half a minute more for other clocks',
    ),
    green: guards('a stronger sign-in is told to a script (RFC 9470 section 3)'),
  }),
  guard({
    name: 'session layer: a member of staff',
    file: guardsFile,
    find: 'if (demands.impersonation === false && auth.impersonator !== null)',
    replace: 'if (demands.impersonation === true && auth.impersonator !== null)',
    red: guards('staff who act as the user are refused where only the user may'),
    green: guards('a permission is one of the claim permissions'),
  }),
  guard({
    name: 'session layer: a permission is a whole name',
    file: guardsFile,
    find: '!(Array.isArray(permissions) && permissions.includes(permission))',
    replace: '!String(permissions).includes(permission)',
    red: guards('a permission is one of the claim permissions'),
    green: guards('a stronger sign-in is told to a script (RFC 9470 section 3)'),
  }),
  guard({
    name: 'session layer: a prefetch begins no sign-in',
    file: routesFile,
    find: "if (/prefetch/.test(purpose) || headers.get('next-router-prefetch') !== null) return redirectless(204)",
    replace: "if (purpose === 'none') return redirectless(204)",
    red: signIn('a sign-in is not begun by what a browser or a framework fetches ahead'),
    green: signIn('a sign-in passes on what the request says, and nothing else'),
  }),
  guard({
    name: 'session layer: a body of a megabyte',
    file: routesFile,
    find: 'textOf(request, maxBodyBytes)',
    replace: 'request.text()',
    red: attacks('a body of more than a megabyte is not read'),
    green: attacks('a forged webhook is refused, and ends no session'),
  }),
  guard({
    name: 'session layer: Express: a body of a megabyte',
    file: expressFile,
    find: 'if (size > maxBodyBytes)',
    replace: 'if (size > maxBodyBytes * 100)',
    red: express('the middleware for Express reads no body of more than a megabyte'),
    green: express('the middleware for Express takes events and forms, also after a parser of bodies'),
  }),
  guard({
    name: 'session layer: Express: other middleware writes req.auth',
    file: expressFile,
    find: 'const auth = known.get(req)',
    replace: 'const auth = req.auth',
    red: express(
      'the middleware for Express guards by what it has read itself, whatever other middleware writes to req.auth',
    ),
    green: express(
      'the middleware for Express guards routes: the organization of the path, a second factor, a permission',
    ),
  }),
  guard({
    name: 'session layer: Express: an answer with a cookie is stored by nobody',
    file: expressFile,
    find: "res.setHeader('cache-control', 'no-store')",
    replace: '',
    red: express(
      'the middleware for Express renews a session once for 20 requests at once, with a cookie in an answer that nobody stores',
    ),
    green: express('the middleware for Express signs a user in and out, whatever Host the request has'),
  }),
  guard({
    name: 'session layer: Express: no cookie after an answer has begun',
    file: expressFile,
    find: 'return res.headersSent\n        ? undefined',
    replace: 'return res.headersSent && res.statusCode === 0\n        ? undefined',
    red: express(
      'the middleware for Express gives access tokens while the answer has not begun, and spends no refresh token after it has',
    ),
    green: express('the middleware for Express signs a user in and out, whatever Host the request has'),
  }),
  guard({
    name: 'session layer: Hono: other middleware sets auth',
    file: honoFile,
    find: 'const auth = known.get(context)',
    replace: 'const auth: Auth | undefined = Object(context).var.auth',
    red: hono('the middleware for Hono guards by what it has read itself, whatever other middleware sets'),
    green: hono(
      'the middleware for Hono guards routes: the organization of the path, a second factor, a permission',
    ),
  }),
  guard({
    name: 'session layer: Hono: no cookie after an answer has begun',
    file: honoFile,
    find: '      isAnswered = true\n',
    replace: '',
    red: hono('the middleware for Hono spends no refresh token once the answer has begun'),
    green: hono('the middleware for Hono gives access tokens, also in another process'),
  }),
  guard({
    name: 'session layer: Next.js: no cookie after an answer has begun',
    file: nextAppFile,
    find: '        isAnswered = true\n',
    replace: '',
    red: next(
      'the session layer of Next.js spends no refresh token once the answer of a route handler has begun',
    ),
    green: next('the session layer of Next.js protects route handlers, which renew by themselves'),
  }),
  guard({
    name: 'session layer: Next.js: a server action is a POST',
    file: nextAppFile,
    find: "headers.get('next-action') === null ? 'GET' : 'POST'",
    replace: "'GET'",
    red: next('the session layer of Next.js takes server actions of its own pages alone'),
    green: next('the session layer of Next.js has no page below /auth that does not exist'),
  }),
  guard({
    name: 'session layer: Next.js: a page reads its own cookie',
    file: nextAppFile,
    find: 'return { head, auth: await sessions().read(head) }',
    replace: 'return { head, auth: await sessions().read(head, { write: () => undefined }) }',
    red: next(
      'the session layer of Next.js shows nothing to who has passed the proxy by, neither with its headers nor with an old cookie',
    ),
    green: next('the session layer of Next.js has no page below /auth that does not exist'),
  }),
]
