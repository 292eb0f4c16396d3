import { guard, protocolTest } from './guard.js'
import type { NamedTest } from './vitest-run.js'

const folder = 'server/src/sign-in/account-flows'
const entries = `${folder}/entries.ts`
const routedDomain = `${folder}/routed-domain.ts`
const authorization = 'server/src/protocols/oauth/account-authorization.ts'
const steps = 'server/src/pages/account-sign-in/steps.ts'

const signIn = (title: string) => protocolTest('account-sign-in', title)
const entering = (title: string) => protocolTest('account-entering', title)
const select = (title: string) => protocolTest('account-select', title)
const firstVisit = (title: string) => protocolTest('account-first-visit', title)
const routing = (title: string) => protocolTest('account-routing', title)
const begun = (title: string) => signIn(`a sign-in that names no organization ${title}`)
const entered = (title: string) => entering(`entering an organization ${title}`)
const selecting = (title: string) => select(`prompt=select_account ${title}`)

const signsIn = begun('proves the mailbox, lists its organizations, and signs in to the chosen one')
const goesOn = selecting(
  'lists the sessions of this browser, the last used first, and goes on with one without a question',
)
const routes = routing(
  'an address of a domain that one SSO connection owns goes straight to its identity provider, whether it is typed or hinted, and whoever has it',
)

/** A condition of a statement. */
function condition(name: string, file: string, find: string, red: NamedTest, green = signsIn) {
  return guard({ name: `account sign-in: ${name}`, file, find, replace: '', red, green })
}

/** Guards of what a sign-in at the account lists and enters: organizations of a mailbox, sessions of a browser, routed domains. */
export const accountListGuards = [
  condition(
    'listed users are active',
    entries,
    "    .where('users.active', '=', true)\n",
    begun('lists no user that was deleted, is inactive, or is of the other environment'),
  ),
  condition(
    'listed users are of the environment',
    entries,
    "    .where(ofEnvironment(mailbox, 'users'))\n",
    begun('lists no user that was deleted, is inactive, or is of the other environment'),
  ),
  condition(
    'listed users have chosen their address',
    entries,
    '    .where(isOwnAddress())\n',
    signIn(
      'an address without an organization a user who was carried over by a relay is not listed until they have proved the address there',
    ),
  ),
  guard({
    name: 'account sign-in: listed organizations allow the address',
    file: entries,
    find: "    .where(isAddressAllowed(sql.ref('users.email_normalized')))\n",
    replace: '',
    red: entered('409 with the list anew where the organization does not allow the address meanwhile'),
    green: signsIn,
  }),
  condition(
    'listed organizations are there',
    entries,
    "    .where('organizations.deleted_at', 'is', null)\n",
    entered('409 with the list anew where the organization was deleted meanwhile'),
  ),
  condition(
    'listed connections admit unknown users',
    entries,
    "    .where('connection.user_security_type', '=', 'none')\n",
    routing(
      'an address of a domain that one SSO connection owns is listed where the connection admits unknown users, and enters by the identity provider alone',
    ),
  ),
  condition(
    'users are created by a domain that is named',
    entries,
    "    .where(isListedBy('organizations', mailbox))\n",
    entered('creates the user where links create users of the domain, and lists none that names no domain'),
  ),
  guard({
    name: 'account sign-in: a first visit is chosen',
    file: authorization,
    find: ' || only.lastSignedInAt === null',
    replace: '',
    red: begun('enters the only organization at once, but on the first visit it is chosen'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: a visit before the mailbox was proved',
    file: entries,
    find: 'case when users.email_proved_at is not null then users.last_signed_in_at end',
    replace: 'users.last_signed_in_at',
    red: firstVisit(
      'an organization that only an administrator has entered as the user is chosen, and shows no logo',
    ),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: logos of strangers',
    file: steps,
    find: 'logoUrl: lastUsedAt === null || index >= mostLogos ? null : iconLogoUrl',
    replace: 'logoUrl: index >= mostLogos ? null : iconLogoUrl',
    red: signIn('the list has the logos of organizations that the user has entered, and of no other'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: sessions are listed where the application asks for it',
    file: authorization,
    find: 'return isAsked ?',
    replace: 'return isAsked || true ?',
    red: selecting('lists nothing where the application did not ask for it'),
    green: goesOn,
  }),
  guard({
    name: 'account sign-in: a session that is listed',
    file: authorization,
    find: 'const session = sessions.find((listed) => listed.domain === domain)',
    replace: "const session = sessions.find((listed) => listed.domain === domain) ?? { email: '' }",
    red: selecting('lists no session of another browser, account or environment, and goes on with none'),
    green: goesOn,
  }),
  guard({
    name: 'account sign-in: a session of a page of before',
    file: steps,
    find: "  if (!isOfThisRound(request)) return 'moved'\n  const entrance = await enterSession",
    replace: '  const entrance = await enterSession',
    red: selecting('goes on with none from a page of before another one was chosen, whose sign-in goes on'),
    green: goesOn,
  }),
  guard({
    name: 'account sign-in: a choice of the account is not made by an address',
    file: 'server/src/protocols/oauth/requested-organization.ts',
    find: 'email === undefined || isChoosing ? undefined',
    replace: 'email === undefined ? undefined',
    red: protocolTest(
      'account-sessions',
      'a browser that is signed in nowhere shows no organization for another address, for none, and where no page of one is asked for',
    ),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: a domain that two claim is not routed',
    file: routedDomain,
    find: 'if (owner === undefined || others.some((other) => other.organization_id !== owner.organization_id))',
    replace: 'if (owner === undefined)',
    red: routing('a domain of two organizations is not routed: the mailbox is asked for'),
    green: routes,
  }),
  condition(
    'an inactive connection is not routed',
    routedDomain,
    "    .where('connection.active', '=', true)\n",
    routing('a domain of a connection that is not active is not routed: the mailbox is asked for'),
    routes,
  ),
]
