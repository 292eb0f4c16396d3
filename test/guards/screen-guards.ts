import { guard } from './guard.js'

const call = 'server/src/app/http/call.ts'
const inConsole = (file: string, title: string) => ({ file: `test/console/${file}.test.ts`, title })
const asRequest = inConsole('parity', 'users.list a call within the process reads what a request reads')
const shows = inConsole('parity', 'staff get no secret that is stored, and a viewer no personal data')
const asks = (route: string) =>
  inConsole(
    'rights',
    `in production ${route} asks for a reason, and a proof where the contract says so; in the sandbox where both environments change`,
  )
const showsOnce = inConsole(
  'attacks',
  'a secret is shown by what makes it, and by no change or removal of the record',
)
const countsOnce = inConsole(
  'attacks',
  'a form counts once, from a page of the same session, and from nowhere else',
)

/** Guards of what staff may do in the console, and how it is asked for. */
export const screenGuards = [
  guard({
    name: 'console: a role calls its routes alone',
    file: 'server/src/app/http/authorize.ts',
    find: 'staff.routes.has(name)',
    replace: 'true',
    red: inConsole(
      'rights',
      'a member of staff with the role viewer in production calls what the table allows, and nothing else, which the audit has',
    ),
    green: asRequest,
  }),
  guard({
    name: 'console: a proof',
    file: call,
    find: "if (danger === 'proof' && !staff.isProved)",
    replace: 'if (false)',
    red: asks('users.delete'),
    green: asRequest,
  }),
  guard({
    name: 'console: a reason',
    file: call,
    find: 'return isReason(call.reason) ? undefined : withoutReason()',
    replace: 'return undefined',
    red: asks('users.delete'),
    green: asRequest,
  }),
  guard({
    name: 'console: what the environments share',
    file: 'contract/src/danger.ts',
    find: "if (spansEnvironments !== 'by_scopes') return spansEnvironments !== false",
    replace: "if (spansEnvironments !== 'by_scopes') return false",
    red: asks('organizations.delete'),
    green: asRequest,
  }),
  guard({
    name: 'console: no stored secret',
    file: call,
    find: 'withoutSecrets(success, body)',
    replace: 'body',
    red: shows,
    green: asRequest,
  }),
  guard({
    name: 'console: no secret after a change',
    file: 'server/src/screens/act.tsx',
    find: "part !== 'update' && ",
    replace: '',
    red: showsOnce,
    green: countsOnce,
  }),
  guard({
    name: 'console: no secret after a removal',
    file: 'server/src/screens/act.tsx',
    find: '!isRemoval(route) && ',
    replace: '',
    red: showsOnce,
    green: countsOnce,
  }),
  guard({
    name: 'console: no personal data for a viewer',
    file: call,
    find: 'if (!staff.seesPersonalData)',
    replace: 'if (false)',
    red: shows,
    green: asRequest,
  }),
  guard({
    name: 'console: a form of the same session',
    file: 'server/src/console/console-visit.ts',
    find: 'return secretOfOurForm(req, site, staff.session.id) !== undefined',
    replace: 'return true',
    red: inConsole('attacks', 'a form counts once, from a page of the same session, and from nowhere else'),
    green: inConsole('attacks', 'a page of the console is not kept, framed or read from elsewhere'),
  }),
  guard({
    name: 'console: a proof is of the last 10 minutes',
    file: 'server/src/console/console-visit.ts',
    find: 'return isFresh && ',
    replace: 'return ',
    red: inConsole(
      'attacks',
      'a dangerous form in production leads to a sign-in first, and is refused without one of the last 10 minutes',
    ),
    green: inConsole('attacks', 'a page of the console is not kept, framed or read from elsewhere'),
  }),
  guard({
    name: 'console: no more names are looked up than the API takes',
    file: 'server/src/screens/references.ts',
    find: 'if (names.length > mostNames)',
    replace: 'if (names.length < 0)',
    red: inConsole(
      'first-steps',
      'the first owner names the organizations of a key by their domains, of which more than a key can have are not looked up',
    ),
    green: inConsole('first-steps', 'the first owner is named by the audit'),
  }),
]
