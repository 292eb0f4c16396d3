import { contractTest, guard } from './guard.js'

const folder = 'server/src/sso/social'
const receive = `${folder}/receive-answer.ts`
const arrive = `${folder}/arrive.ts`
const settle = `${folder}/settle.ts`
const claims = `${folder}/claims.ts`
const request = `${folder}/request.ts`
const library = 'server/src/sso/oidc/openid-client.ts'
const arrivals = 'server/src/sign-in/flows/social-arrival.ts'

const test = (name: string) => (title: string) => ({ file: `test/protocols/social-${name}.test.ts`, title })
const signsIn = test('sign-in')
const attacks = test('attacks')
const standIns = test('stand-ins')
const linking = test('linking')
const github = test('github')
const apple = test('apple')

const becomes = signsIn(
  'an unknown person becomes a user by an address that the provider gives out, and is known the next time',
)
const isLinked = signsIn(
  'an address that a user has links nobody by the word of the provider, and the user by their password',
)
const links = linking(
  'an account elsewhere is linked by a visit to its provider, whatever its address, and signs its user in from then on',
)
const own = `${folder}/link-own.ts`
const takeover = test('takeover')
const isTold = takeover(
  'an account at a social provider that is linked in a sign-in is told to the address of its user',
)
const byGithub = github(
  'GitHub names a user by the primary address that they have verified there, which a mail proves',
)
const byApple = apple('Apple gives out an address of its own mail, which needs no mail')
const isOfGmail = standIns('Google gives out an address of gmail.com, which needs no mail')

/** Guards of social sign-in: origin of the answer, the word of a provider, and who is linked. */
export const socialGuards = [
  guard({
    name: 'social: the browser of a flow',
    file: receive,
    find: 'if (flow?.is_own_browser !== true) return undefined',
    replace: 'if (flow === undefined) return undefined',
    also: [
      {
        file: arrive,
        find: "  if (!held.is_own_browser) throw new SocialRefused('other_browser')\n",
        replace: '',
      },
    ],
    red: attacks('a state of another browser signs nobody in, so that nobody is signed in as the attacker'),
    green: becomes,
  }),
  guard({
    name: 'social: the provider of a request',
    file: request,
    find: "      .where('provider_id', '=', request.providerId)\n      .where('state_hash', '=', request.stateHash)\n      .where('expires_at'",
    replace: "      .where('state_hash', '=', request.stateHash)\n      .where('expires_at'",
    red: attacks('a state is of one provider, whose address alone takes it'),
    green: becomes,
  }),
  guard({
    name: 'social: the lifetime of a request',
    file: request,
    find: "      .where('expires_at', '>', request.at)\n",
    replace: '',
    red: attacks('a state is over after ten minutes'),
    green: becomes,
  }),
  guard({
    name: 'social: the issuer of an answer',
    file: receive,
    find: 'answer.issuer !== issuer) return',
    replace: 'false) return',
    // The library compares it once more.
    also: [
      { file: library, find: 'code, state, ...(issuer !== null && { iss: issuer })', replace: 'code, state' },
    ],
    red: attacks('an answer that names another issuer is refused before its code is sent'),
    green: becomes,
  }),
  guard({
    name: 'social: the provider that a flow is at',
    file: arrive,
    find: "  if (held.social_provider_id !== known.providerId) throw new SocialRefused('flow_over')\n",
    replace: '',
    red: attacks('a flow that has gone to another provider takes no answer of the first'),
    green: becomes,
  }),
  guard({
    name: 'social: the word of Google',
    file: claims,
    find: "return googleMail.includes(domain) || claims['hd'] === domain",
    replace: 'return true',
    red: standIns('Google does not give out an address of another domain: a mail proves it'),
    green: isOfGmail,
  }),
  guard({
    name: 'social: the word of Microsoft',
    file: claims,
    find: 'microsoft: () => false',
    replace: "microsoft: (claims) => isTrue(claims['xms_edov'])",
    red: standIns(
      'Microsoft is not believed of an address of a company, whose owner has proved the domain: a mail proves it',
    ),
    green: isOfGmail,
  }),
  guard({
    name: 'social: the word of a custom provider',
    file: claims,
    find: 'custom_oidc: () => false',
    replace: "custom_oidc: (claims) => isTrue(claims['email_verified'])",
    red: attacks('the address of a custom provider counts for nothing, verified or not'),
    green: becomes,
  }),
  guard({
    name: 'social: the tenants of Microsoft',
    file: receive,
    find: "isTenantAllowed(tenant ?? '', tid)",
    replace: 'true',
    red: standIns('Microsoft lets in the tenants of its setting alone'),
    green: isOfGmail,
  }),
  guard({
    name: 'social: the template of an issuer',
    file: library,
    find: "provider.issuer === microsoftIssuerOf('common')",
    replace: 'false',
    red: standIns('Microsoft is not believed of an address of a company: a mail proves it'),
    green: isOfGmail,
  }),
  guard({
    name: 'social: a user who has the address',
    file: settle,
    find: '    await intendLink(trx, held, { userId: user.id, isMailboxProved })\n',
    replace: '',
    red: isLinked,
    green: becomes,
  }),
  guard({
    name: 'social: the user whom an identity waits for',
    file: arrivals,
    find: '  if (arrival.userId !== userId) return\n',
    replace: '',
    also: [
      {
        file: 'server/src/sign-in/flows/step.ts',
        find: "  if (moved !== undefined && to === 'identifier')\n    await forgetArrival(trx, { accountId, environment, organizationId, flowId })\n",
        replace: '',
      },
    ],
    red: signsIn('an address that a user has is not linked to whoever signs in after going back'),
    green: isLinked,
  }),
  guard({
    name: 'social: no way around single sign-on',
    file: settle,
    find: "if (connection === 'required') throw new SocialRefused('sso_required')",
    replace: "if (connection === 'required') return false",
    also: [
      {
        file: 'server/src/sign-in/flows/finish.ts',
        find: "  if (user.is_sso_required && !consumedFlow.amr?.includes('sso')) return 'sso_required'\n",
        replace: '',
      },
    ],
    red: attacks(
      'single sign-on that a domain requires has no way around by a social provider, new or known',
    ),
    green: becomes,
  }),
  guard({
    name: 'social: single sign-on at the end of a flow',
    file: 'server/src/sign-in/flows/finish.ts',
    find: 'return isBySocial && hasIdentityProvider(trx, owner, email)',
    replace: 'return false',
    red: attacks(
      'single sign-on that an address gets between the provider and a second factor refuses the known at the end of the sign-in',
    ),
    green: becomes,
  }),
  guard({
    name: 'social: single sign-on at the end of a flow that links',
    file: 'server/src/sign-in/flows/finish.ts',
    find: '    (await findArrival(deps, trx, { ...owner, flowId })) !== undefined\n',
    replace: '    false\n',
    red: attacks('single sign-on that an address gets between the provider and a second factor links nobody'),
    green: becomes,
  }),
  guard({
    name: 'social: the session of a link',
    file: own,
    find: 'return session?.sessionId === sessionId ? session : undefined',
    replace: 'return session',
    red: linking(
      'an account elsewhere is linked by the browser of its session alone, so that nobody gets the account of an attacker',
    ),
    green: links,
  }),
  guard({
    name: 'social: the freshness of a link',
    file: own,
    find: "{ userId, sessionId }, 'fresh_session'",
    replace: "{ userId, sessionId }, 'session'",
    red: linking(
      'an account elsewhere is not linked after the end of the session, nor when it is not fresh any more',
    ),
    green: links,
  }),
  guard({
    name: 'social: no link beside single sign-on',
    file: own,
    find: ' || (await findIdentityProvider(within, trx, owner, email)) !== undefined',
    replace: '',
    red: linking('an account elsewhere is linked to nobody whose address has to come by single sign-on'),
    green: links,
  }),
  guard({
    name: 'social: the last way to sign in',
    file: 'server/src/sign-in/identities/identities.ts',
    find: '    .$if(needsOther, (query) => query.where(hasMethodBesideIdentity(deps, trx, tenant, { userId, id })))\n',
    replace: '',
    red: {
      file: 'test/api/identities.test.ts',
      title: 'an identity is not the last way to sign in that somebody loses, unless that is forced',
    },
    green: links,
  }),
  guard({
    name: 'social: the address that GitHub has verified',
    file: `${folder}/github.ts`,
    find: "one['primary'] === true && one['verified'] === true",
    replace: "one['primary'] === true",
    red: github(
      'GitHub is taken at its word of no address where the primary one is not verified: the user names one',
    ),
    green: byGithub,
  }),
  guard({
    name: 'social: the number of a user of GitHub',
    file: `${folder}/github.ts`,
    find: ' || !Number.isSafeInteger(id)',
    replace: '',
    red: github('GitHub signs nobody in with a user without a number, and the log says why'),
    green: byGithub,
  }),
  guard({
    name: 'social: errors with the status of a success',
    file: library,
    find: 'const isError = hasErrorsWith200 &&',
    replace: 'const isError = !hasErrorsWith200 &&',
    red: github('GitHub signs nobody in with a code that it does not know, and the log says why'),
    green: byGithub,
  }),
  guard({
    name: 'social: the word of Apple',
    file: claims,
    find: "return isTrue(claims['is_private_email']) ||",
    replace: 'return true ||',
    red: apple('Apple does not give out an address of another domain: a mail proves it'),
    green: byApple,
  }),
  guard({
    name: 'social: the lifetime of a posted answer',
    file: `${folder}/posted-answer.ts`,
    find: 'return until > now().getTime() ? answer : undefined',
    replace: 'return until > 0 ? answer : undefined',
    red: apple(
      'an answer that another site has posted is not taken by another provider, nor changed, nor after five minutes',
    ),
    green: byApple,
  }),
  guard({
    name: 'social: the provider that posts',
    file: 'server/src/pages/social/router.ts',
    find: "known?.provider !== 'apple' ||",
    replace: 'known === undefined ||',
    red: apple('an answer that another site has posted is not there for other providers'),
    green: byApple,
  }),
  guard({
    name: 'social: the tries of a code',
    file: arrivals,
    find: "    .where('code_failures', '<', maxAddressCodeFailures)\n",
    replace: '',
    red: attacks('the address of a custom provider counts for nothing, verified or not'),
    green: becomes,
  }),
  guard({
    name: 'social: the code of an address',
    file: 'server/src/sign-in/flows/address-code.ts',
    find: "isSecretEqual(Buffer.from(shown.code), Buffer.from(code.replace(/[\\s-]/g, '')))",
    replace: 'true',
    red: signsIn(
      'an unknown person proves an address that the provider does not give out by a code that is mailed to it',
    ),
    green: becomes,
  }),
  guard({
    name: 'social: an organization that has switched it off',
    file: arrive,
    find: "const provider = await findOpenProvider(trx, held, known.providerId)\n  if (provider === undefined) throw new SocialRefused('connection_inactive')\n",
    replace:
      "const provider = (await findOpenProvider(trx, held, known.providerId)) ?? { providerId: known.providerId, name: '', displayName: '', allowSignUp: false }\n",
    // The end of the flow asks again.
    also: [
      { file: 'server/src/sign-in/flows/finish.ts', find: '    .where(isSocialStillOpen())\n', replace: '' },
    ],
    red: signsIn(
      'a known person is refused where the organization has switched social sign-in off, also in the middle of it',
    ),
    green: becomes,
  }),
  guard({
    name: 'social: the identity that is being unlinked',
    file: 'server/src/directory/users/signing-in-user.ts',
    find: ".forKeyShare('identity')",
    replace: '',
    red: takeover(
      'an account at a social provider that was unlinked while its sign-in waited signs nobody in',
    ),
    green: isTold,
  }),
  guard({
    name: 'social: the passkey of the user at a link in a sign-in',
    file: arrivals,
    find: "if (!amr.includes('pop') && (await holdsPasskey(deps, trx, { tenant, userId }))) return",
    replace: 'void [amr, holdsPasskey]',
    red: takeover(
      'an account at a social provider is not linked by the password of a user who has a passkey, as on the account page',
    ),
    green: isTold,
  }),
  guard({
    name: 'social: a provider that is off at a link in a sign-in',
    file: arrivals,
    find: '  if (!arrival.isProviderOpen) return\n',
    replace: '',
    red: takeover(
      'an account at a social provider is not linked where the organization has switched the provider off since',
    ),
    green: isTold,
  }),
  guard({
    name: 'social: the time that the provider says',
    file: arrive,
    find: 'return authenticatedAt !== undefined && authenticatedAt < at ? authenticatedAt : at',
    replace: 'return void authenticatedAt ?? at',
    red: takeover(
      'an account at a social provider that says of an older sign-in makes no fresh session of it',
    ),
    green: isTold,
  }),
  guard({
    name: 'social: one identity in two sign-ins',
    file: settle,
    find: "if ((await findUserByIdentity(trx, tenant, identity)) !== undefined) throw new SocialRefused('changed_meanwhile')",
    replace: 'void findUserByIdentity',
    red: takeover(
      'an account at a social provider proves one address in one of two sign-ins, and the other one is refused',
    ),
    green: isTold,
  }),
  guard({
    name: 'address: what was added before its first proof',
    file: 'server/src/directory/users/proved-email.ts',
    find: 'if (!haveSignInsEnded) await endEarlierSignIns(deps, trx, tenant, userId) await forgetAdded(trx, tenant, userId)',
    replace: 'if (!haveSignInsEnded) await endEarlierSignIns(deps, trx, tenant, userId)',
    red: takeover(
      'the first proof of a mailbox ends the passkeys and the accounts at social providers of whoever had claimed the address',
    ),
    green: isTold,
  }),
  guard({
    name: 'address: the identity by which a user came',
    file: 'server/src/directory/users/identities.ts',
    find: "    .where('has_created_user', '=', false)\n",
    replace: '',
    red: takeover(
      'the first proof of a mailbox leaves the identity by which the user came, whose provider gives out the address',
    ),
    green: isTold,
  }),
  guard({
    name: 'address: a code to it before an account is linked is its first proof',
    file: settle,
    find: 'intendLink(trx, held, { userId: user.id, isMailboxProved })',
    replace: 'intendLink(trx, held, { userId: user.id, isMailboxProved: false })',
    red: takeover(
      'the first proof of a mailbox is recorded where a code to it precedes the password by which an account is linked, and leaves that account',
    ),
    green: isTold,
  }),
  guard({
    name: 'social: an account of the provider that another one has replaced is no way to sign in',
    file: 'server/src/sign-in/methods-of-user.ts',
    find: '${isIssuedByProvider()}',
    replace: "identity.provider = 'social.' || social_providers.name",
    red: contractTest(
      'identities',
      'an identity of a provider that another one has replaced under its name is no other way',
    ),
    green: contractTest(
      'identities',
      'an identity of a provider that the organization no longer uses is no other way',
    ),
  }),
]
