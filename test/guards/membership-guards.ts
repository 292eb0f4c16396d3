import { contractTest, guard, protocolTest } from './guard.js'

const admit = 'server/src/directory/users/admit.ts'
const begin = 'server/src/sign-in/invitations/begin-invitation.ts'
const links = 'server/src/sign-in/magic-link/consumed-link.ts'
const mailed = (title: string) => protocolTest('invitations', `a mailed invitation ${title}`)
const comesIn = mailed('makes its user at the button, with what it says of them, and signs them in')
const doors = (title: string) => protocolTest('admission-doors', title)

const joins = protocolTest(
  'joining',
  'an address of a verified domain becomes a user with the roles of the policy, once its owner has opened a link',
)

const decides = protocolTest(
  'onboarding-join-requests',
  'the page of the requests is in the list where people ask to join',
)

/** Guards of who becomes a member: seats, invitations, and joining by domain. */
export const membershipGuards = [
  guard({
    name: 'joining: not where links sign nobody in',
    file: links,
    find: ' && consumedLink.is_connection_active\n  const joining',
    replace: '\n  const joining',
    also: [
      {
        file: 'server/src/directory/organization-policy/joining.ts',
        find: "    join magic_link_connections as link on ${sameTenant('link', 'joining')} and link.active\n",
        replace: '',
      },
    ],
    red: protocolTest(
      'joining',
      'nobody joins where links sign nobody in, though a password is asked for: automatic',
    ),
    green: joins,
  }),
  guard({
    name: 'policy: the second factor takes its own scope',
    file: 'server/src/directory/organization-policy/organization-policy.ts',
    find: "  if (rule !== undefined || days !== undefined) checkScope(caller, 'write:totp', 'the second factor')\n",
    replace: '  void [rule, days]\n',
    red: contractTest(
      'organization-policy',
      '403: a key that gives seats changes neither the second factor nor sessions',
    ),
    green: contractTest(
      'organization-policy',
      'a policy is always there, of one environment, and changes as its version demands',
    ),
  }),
  guard({
    name: 'seats: every door counts them',
    file: admit,
    find: "  if (!hasSeat(seats)) throw new AdmissionRefused('seats_exhausted')\n",
    replace: '',
    red: doors('where the policy has one seat, which is taken each door admits a newcomer or says why not'),
    green: doors('where nothing is in the way each door admits a newcomer or says why not'),
  }),
  guard({
    name: 'seats: nobody comes in beside their lock',
    file: admit,
    find: 'select policy.seats_limit = 0 or ${isHeld}::boolean\n',
    replace: 'select true\n',
    red: doors('of many at once by doors of all kinds, as many come in as the policy has seats'),
    green: doors('where nothing is in the way each door admits a newcomer or says why not'),
  }),
  guard({
    name: 'invitations: the URL of an answer proves no mailbox',
    file: begin,
    find: 'const isProved = !isUrlReturned && ',
    replace: 'const isProved = ',
    red: protocolTest(
      'invitations',
      'the URL of an answer proves no mailbox: a link is mailed, which takes the invitation',
    ),
    green: comesIn,
  }),
  guard({
    name: 'invitations: a link that the API has returned takes none',
    file: links,
    find: 'isAddressProven: !consumedLink.is_link_returned',
    replace: 'isAddressProven: true',
    red: protocolTest(
      'invitations',
      'the invitation of an address is not taken by a link that the API has returned, which proves no mailbox',
    ),
    green: comesIn,
  }),
  guard({
    name: 'invitations: roles need the scope that gives them',
    file: 'server/src/directory/role-ids.ts',
    find: "roles !== undefined && !scopes.includes('write:roles')",
    replace: 'false',
    red: contractTest(
      'invitations',
      'who may invite whom a key gives no roles without the scope for it, and changes none',
    ),
    green: contractTest(
      'invitations',
      'an invitation is mailed in the name of the organization, and its record has no URL',
    ),
  }),
  guard({
    name: 'invitations: a session of somebody else accepts nothing',
    file: 'server/src/pages/invitation/router.ts',
    find: '  } else if (other === undefined) await begin(exchange, shown, browserSecret)\n',
    replace: '  } else if (other !== shown.open) await begin(exchange, shown, browserSecret)\n',
    red: mailed('is nothing for the session of another address, whose user may sign out and go on'),
    green: comesIn,
  }),
  guard({
    name: 'invitations: an identity provider names the address that was invited',
    file: 'server/src/sso/sign-in/admission.ts',
    find: 'const isSame = normalizeEmail(invited.email) === email',
    replace: 'const isSame = true',
    red: protocolTest(
      'invitations',
      'at an identity provider another address is refused with both named, and the invitation stays',
    ),
    green: protocolTest(
      'invitations',
      'at an identity provider an invited address comes in where users must be registered, and has its roles',
    ),
  }),
  guard({
    name: 'invitations: the organization of the address is that of the invitation',
    file: 'server/src/sign-in/invitations/open-invitation.ts',
    find: "    .where('invitations.expires_at', '>', key.at)\n    .where('organizations.domain', '=', key.organizationDomain)\n",
    replace: "    .where('invitations.expires_at', '>', key.at)\n",
    red: mailed('has one page when it is used, revoked, expired, unknown, or of another organization'),
    green: comesIn,
  }),
  guard({
    name: 'invitations: a discovery whose link the API has returned lists none',
    file: 'server/src/sign-in/account-flows/entries.ts',
    find: 'sought?.[of] === true && !(isOfMail && key.isLinkReturned === true)',
    replace: 'sought?.[of] === true && isOfMail !== undefined',
    red: protocolTest(
      'invitations',
      'the invitation of an address is not taken by a discovery whose link the API has returned, which lists no inviting organization',
    ),
    green: comesIn,
  }),
  guard({
    name: 'invitations: the API takes their roles back',
    file: 'server/src/directory/roles/user-roles.ts',
    find: ".where('source', '<>', 'sso')",
    replace: ".where('source', '=', 'api')",
    red: protocolTest('invitations', 'the invitation of an address gives roles that the API takes back'),
    green: comesIn,
  }),
  guard({
    name: 'joining: by a domain that the organization has proved',
    file: 'server/src/directory/domains/authority.ts',
    find: "      and verified.state in ('verified', 'lapsing')\n",
    replace: '',
    red: protocolTest('joining', 'nobody joins by a domain that was only declared'),
    green: joins,
  }),
  guard({
    name: 'joining: by a link that was mailed',
    file: links,
    find: '!consumedLink.is_link_returned && consumedLink.is_connection_active',
    replace: 'consumedLink.is_connection_active',
    red: protocolTest(
      'joining',
      'nobody joins by a link that the API has returned, which proves no mailbox: it makes a user without the roles',
    ),
    green: joins,
  }),
  guard({
    name: 'joining: the page of a request signs in where links do',
    file: 'server/src/sign-in/joining/join-step.ts',
    find: '  if (!(await findSignInMethods(deps, flow)).hasLink) return false\n',
    replace: '',
    red: protocolTest(
      'joining',
      'the page of a flow that waits for a decision signs nobody in where links do so no more',
    ),
    green: joins,
  }),
  guard({
    name: 'joining: an approval asks for the domain of the address',
    file: admit,
    find: "  join: ['verified_domain', 'email_domain', 'sso'],",
    replace: "  join: ['email_domain', 'sso'],",
    red: contractTest(
      'join-requests',
      'a join request is refused where the domain of the address is no longer the organization’s, and stays pending',
    ),
    green: joins,
  }),
  guard({
    name: 'joining: mails to administrators of the whole organization alone',
    file: 'server/src/sso/invitations/links.ts',
    find: "        .where('invitation.connection_id', 'is', null)\n",
    replace: '',
    red: protocolTest(
      'onboarding-join-requests',
      'nobody is mailed about those who ask who was invited to one connection, has declined, or whose invitation is over',
    ),
    green: decides,
  }),
  guard({
    name: 'joining: a refusal ends the links of mails, too',
    file: 'server/src/sso/onboarding/decline.ts',
    find: '    if (connection === null)\n      await endAdminLinks(deps, trx, { accountId, organizationId, environment, adminId })\n',
    replace: '',
    red: protocolTest(
      'onboarding-join-requests',
      'the link of such a mail ends with a refusal by the first link',
    ),
    green: decides,
  }),
]
