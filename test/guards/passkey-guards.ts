import { lateForms } from './account-page-guards.js'
import { contractTest, guard, protocolTest, unitTest } from './guard.js'

const folder = 'server/src/sign-in/passkeys'
const webauthn = `${folder}/webauthn.ts`
const prove = `${folder}/prove-passkey.ts`
const signIn = `${folder}/sign-in.ts`
const use = `${folder}/use-passkey.ts`
const second = `${folder}/second-factor.ts`
const ceremony = `${folder}/ceremony.ts`
const apiCeremony = `${folder}/api-ceremony.ts`
const challenge = `${folder}/challenge.ts`
const registration = `${folder}/registration.ts`
const own = 'server/src/sign-in/own-account/own-passkeys.ts'
const enroll = 'server/src/sign-in/passkeys/enroll-in-flow.ts'
const methods = 'server/src/sign-in/methods-of-user.ts'
const held = 'server/src/directory/sessions/passkey-held.ts'
const ownSession = 'server/src/sign-in/own-account/own-session.ts'

const added = (title: string) =>
  protocolTest('passkey-registration', `a passkey on the account page ${title}`)
const used = (title: string) =>
  protocolTest('passkey-sign-in', `a passkey at the first page of a sign-in ${title}`)
const besides = (title: string) =>
  protocolTest('passkey-second-factor', `a passkey as the second factor ${title}`)
const strongest = (title: string) => protocolTest('passkey-strongest-factor', title)
const isAddition = strongest(
  'the account page of who has a passkey takes the passkey in addition to the password, without another sign-in',
)
const isAddedThere = strongest(
  'an application that demands two factors of an organization without codes has who has none add one, which is the second factor of the same sign-in',
)
const insteadOfAnother = strongest(
  'an application that demands two factors of an organization without codes lets nobody add one in place of a passkey or a code that the user has by then',
)
const registered = (title: string) =>
  protocolTest('passkey-own-page-registration', `a registration for a page of an application ${title}`)
const onOwnPage = (title: string) =>
  protocolTest('passkey-own-page', `a passkey on a page of an application ${title}`)
const besidesOnOwnPage = (title: string) =>
  protocolTest('passkey-own-page', `a passkey as the second factor on a page of an application ${title}`)
const isRegistered = registered('adds the passkey that the browser has made, with its event and its mail')
const isInThere = onOwnPage('signs its user in without an address, as two factors')
const ofItsKey = onOwnPage('passes for a key that sees its organization in its environment alone')
const isAdded = added('is asked for so that devices keep one for each user, and verify who uses it')
const isIn = used('that its provider copies may count anew on each device')
const passes = besides('stands beside the code of who has both, and either passes')

/** Guards of passkeys: what an answer is of, whose it is, and what it is good for. */
export const passkeyGuards = [
  guard({
    name: 'passkeys: told of at the address of then',
    file: 'server/src/delivery/mail/notices.ts',
    find: 'messageId, to = email } = payload',
    replace: 'messageId, to } = { ...payload, to: email }',
    red: added(
      'is told of at the address that its user had then, also where they get another one before the mail leaves',
    ),
    green: isAdded,
  }),
  guard({
    name: 'passkeys: the challenge of a registration',
    file: webauthn,
    find: `      expectedChallenge: (challenge) => challenges.includes(challenge),
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserPresence`,
    replace: `      expectedChallenge: (challenge) => challenge.length > 0 && challenges.length > 0,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserPresence`,
    red: added('whose answer is of another challenge is not added'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys: the frame of an answer',
    file: webauthn,
    find: '    if (place.crossOrigin === true || place.topOrigin !== undefined) return undefined\n',
    replace: '',
    red: added('whose answer is of a frame of another site is not added'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys: a user who is verified, at the registration',
    file: webauthn,
    find: '      requireUserVerification: isVerificationRequired,\n      supportedAlgorithmIDs',
    replace:
      '      requireUserVerification: isVerificationRequired && challenges.length === 0,\n      supportedAlgorithmIDs',
    red: added('whose answer is of nobody verified is not added'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys: the challenge of a use',
    file: webauthn,
    find: '      expectedChallenge: (challenge) => challenges.includes(challenge),\n      expectedOrigin: [...origins],\n      expectedRPID: rpId,\n      requireUserVerification',
    replace:
      '      expectedChallenge: (challenge) => challenge.length > 0 && challenges.length > 0,\n      expectedOrigin: [...origins],\n      expectedRPID: rpId,\n      requireUserVerification',
    red: used('whose answer is of another challenge signs nobody in'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: a user who is verified, at a sign-in',
    file: webauthn,
    find: '      requireUserVerification: isVerificationRequired,\n      credential',
    replace:
      '      requireUserVerification: isVerificationRequired && challenges.length === 0,\n      credential',
    red: used('whose answer is of nobody verified signs nobody in'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: the signature',
    file: webauthn,
    find: '    if (!verified) return undefined\n',
    replace: '    if (verified === undefined) return undefined\n',
    red: used('whose answer is of another signature signs nobody in'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: the count of the answers at an account',
    file: 'server/src/sign-in/account-flows/account-flow.ts',
    find: 'passkey_attempt: sql`passkey_attempt + 1`',
    replace: 'passkey_attempt: sql`passkey_attempt + 0`',
    also: [
      {
        file: 'server/src/sign-in/account-flows/account-flow.ts',
        find: 'row.passkey_attempt - 1',
        replace: 'row.passkey_attempt',
      },
    ],
    red: protocolTest(
      'account-passkey',
      'a passkey at the first page of an account passes on the page that says what was wrong, whose challenge is another one',
    ),
    green: protocolTest(
      'account-passkey',
      'a passkey at the first page of an account signs its user in at their organization, without an address, as two factors',
    ),
  }),
  guard({
    name: 'passkeys: the count of the answers of a flow',
    file: prove,
    find: '    .set({ passkey_attempt: sql`passkey_attempt + 1` })',
    replace: '    .set({ passkey_attempt: sql`passkey_attempt` })',
    also: [
      { file: prove, find: 'return row && row.passkey_attempt - 1', replace: 'return row?.passkey_attempt' },
    ],
    red: used('passes on the page that says what was wrong, whose challenge is another one'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: the flag of what may be copied',
    file: prove,
    find: 'if (used === undefined || used.isSynced !== passkey.synced)',
    replace: 'if (used === undefined)',
    red: used('whose answer is of a key that has become synced signs nobody in'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: the organization of the page',
    file: prove,
    find: "  if (!isOwn) return { refused: 'passkey_of_other_organization' }\n",
    replace: '',
    red: used('of another organization signs nobody in, and says so to its holder'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: the user whom the authenticator names',
    file: prove,
    find: 'if (handle === undefined ? expected.isVerificationRequired : !handle.equals(passkey.user_handle))',
    replace: 'if (handle === undefined && expected.isVerificationRequired)',
    red: used('whose answer is of another user signs nobody in'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: an active user',
    file: signIn,
    find: "  if (!user.active) return 'user_inactive'\n",
    replace: '',
    red: used('that was removed, or of a user who is deactivated, signs nobody in'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: an organization that wants them as a first factor',
    file: signIn,
    find: "  if (user.is_offered !== true || user.first_factor !== true) return 'passkeys_inactive'\n",
    replace: '',
    red: used('signs nobody in while the organization does not want it: {"first_factor":false}'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: an address that only single sign-on lets in',
    file: signIn,
    find: "  if (user.is_sso_user) return 'sso_required'\n",
    replace: '',
    red: used(
      'of an address with an identity provider leads there, and signs nobody in whom only that lets in',
    ),
    green: isIn,
  }),
  guard({
    name: 'passkeys: a count that grows',
    file: use,
    find: "        is('synced', '=', true),\n",
    replace: "        is('synced', 'is not', null),\n",
    red: used('whose count has not grown is refused, and blocked where no other tab explains it'),
    green: isIn,
  }),
  guard({
    name: 'passkeys: the user of the first factor',
    file: second,
    find: "  if (proved.userId !== userId) return 'passkey_wrong'\n",
    replace: '',
    red: besides('of a colleague does not pass for its neighbour in the organization'),
    green: passes,
  }),
  guard({
    name: 'passkeys: the second factor of an organization that has them',
    file: second,
    find: "  if (user.is_offered !== true) return 'passkeys_inactive'\n",
    replace: '',
    red: besides('does not pass once it is removed, or switched off, and the code does'),
    green: passes,
  }),
  guard({
    name: 'passkeys: a fresh session adds one',
    file: own,
    find: `return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {\n    const now`,
    replace: `return changeOwnAccount(deps, tenant, session, 'session', async (within, trx) => {\n    const now`,
    also: [lateForms],
    red: added('is not added by a form that is sent after ten minutes, nor by a session that has ended'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys: one that its provider copies',
    file: 'server/src/sign-in/passkeys/insert-passkey.ts',
    find: "  if (key.isSynced && !isSyncedAllowed) return 'not_allowed'\n",
    replace: '',
    red: added('that its provider copies is refused where the organization does not want that'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys: the last way to sign in',
    file: own,
    find: "    if (!hasOther && passkeyIds.length > 0 && left.length === 0) return 'last'\n",
    replace: '',
    red: added('that is the last way to sign in is not removed, and one of two is'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys: the strongest factor of the account page',
    file: ownSession,
    find: "  if (isPasskeyHeld) return amr.includes('pop')\n",
    replace: '',
    red: strongest(
      'the account page of who has a passkey takes no code in its place, whatever the form says',
    ),
    green: isAddedThere,
  }),
  guard({
    name: 'passkeys: the strongest factor, in the transaction of the change',
    file: ownSession,
    find: '    isPasskeyHeld: row.is_passkey_held,\n',
    replace: '    isPasskeyHeld: row.is_passkey_held && at === undefined,\n',
    also: [lateForms],
    red: strongest('the account page of who has a passkey takes no form of a session that has not used it'),
    green: isAddition,
  }),
  guard({
    name: 'passkeys: one in place of a passkey or a code that the user has',
    file: enroll,
    find: "  if (isHeld && !held.is_recovery_code_used && !(await recoversPasskeys(deps, trx, of, proof))) return 'over'\n",
    replace: '',
    red: insteadOfAnother,
    green: isAddedThere,
  }),
  guard({
    name: 'passkeys: the last second factor of a policy that demands one',
    file: 'server/src/sign-in/passkeys/connection.ts',
    find: '    if (active === false) await checkSecondFactorLeft(deps, trx, tenant)\n',
    replace: '',
    red: strongest(
      'a policy that demands a second factor keeps the last second factor of the organization on, codes or passkeys',
    ),
    green: isAddition,
  }),
  guard({
    name: 'passkeys: one that was blocked, at an enrolment',
    file: held,
    find: 'return isHeld(row, rpId, sql`true`)',
    replace: 'return isHeld(row, rpId, sql`passkeys.disabled_at is null`)',
    red: strongest(
      'an application that demands two factors of an organization without codes has who has one that is blocked add none by the password, nor enrol an app',
    ),
    green: isAddedThere,
  }),
  guard({
    name: 'passkeys: one that was blocked, on the account page',
    file: held,
    find: 'sql`passkeys.inserted_at < ${sql.table(session)}.authenticated_at`',
    replace:
      'sql`passkeys.inserted_at < ${sql.table(session)}.authenticated_at and passkeys.disabled_at is null`',
    red: strongest(
      'the account page of who has a passkey takes nothing weaker in place of one that is blocked, and says who can help',
    ),
    green: isAddition,
  }),
  guard({
    name: 'passkeys: one of a domain of before is no way to sign in',
    file: methods,
    find: '(passkeys.rp_id = ${rpId ?? null} or exists (',
    replace: '(passkeys.rp_id <> ${rpId ?? null} or exists (',
    red: contractTest(
      'identities',
      'an identity is the last way to sign in beside a passkey of a domain that neither the service nor an application has',
    ),
    green: contractTest('identities', 'an identity tells of its linking and unlinking'),
  }),
  guard({
    name: 'passkeys: one of a domain of before, where they are demanded',
    file: 'server/src/sign-in/own-account/own-account.ts',
    find: "not ${isPasskeyUsableByUserOf('users', user.rpId ?? undefined)}",
    replace: "not ${isPasskeyUsableByUserOf('users', sql`passkeys.rp_id` as never)}",
    red: protocolTest(
      'passkey-requirement',
      'a passkey of a domain that the service has had before leaves a code where it is, which its user does not turn off while passkeys are demanded',
    ),
    green: protocolTest(
      'passkey-requirement',
      'the last passkey of who has no code leaves a code where it is, which its user does not turn off',
    ),
  }),
  guard({
    name: 'passkeys: lists of revoked certificates',
    file: webauthn,
    find: 'certificates: [] })',
    replace: 'certificates: library.SettingsService.getRootCertificates({ identifier }) })',
    red: unitTest(
      webauthn,
      'a new passkey with a statement of apple leads to no certificate of its maker, whose list of revoked ones would be fetched',
    ),
    green: isAdded,
  }),
  guard({
    name: 'passkeys of the API: the domain of the pages of an application',
    file: 'server/src/directory/applications/redirects.ts',
    find: '  if (origins.length > 0 && origins.every(isOfPage)) return []\n',
    replace: '  if (origins.some(isOfPage) || origins.length === 0) return []\n',
    red: contractTest(
      'application-changes',
      'changing an application 200: the domain of its passkeys is of all its web origins, whichever of both is changed',
    ),
    green: isRegistered,
  }),
  guard({
    name: 'passkeys of the API: the pages of an application, to the letter',
    file: ceremony,
    find: '  const { rpId, origins } = page\n',
    replace: "  const { rpId } = page\n  const origins = [...page.origins, 'https://other.store.example']\n",
    red: onOwnPage(
      'whose answer is of another page of the same domain signs nobody in, and its challenge is over',
    ),
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: the domain for which one was made',
    file: prove,
    find: "    .where('passkeys.rp_id', '=', rpId)\n",
    replace: "    .where('passkeys.rp_id', '<>', `not ${rpId}`)\n",
    red: onOwnPage('that was added on the pages of the service is not one of the domain'),
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: one answer to a challenge',
    file: apiCeremony,
    find: "    .deleteFrom('passkey_ceremonies')\n    .using('organizations')\n",
    replace:
      "    .updateTable('passkey_ceremonies')\n    .set({ purpose: sql<string>`passkey_ceremonies.purpose` })\n    .from('organizations')\n",
    red: onOwnPage('passes for one answer alone: not again, nor at another challenge'),
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: one answer to a registration',
    file: apiCeremony,
    find: "    .deleteFrom('passkey_ceremonies')\n    .using('organizations')\n",
    replace:
      "    .updateTable('passkey_ceremonies')\n    .set({ purpose: sql<string>`passkey_ceremonies.purpose` })\n    .from('organizations')\n",
    red: registered('adds nothing for an answer of another domain, and is over then'),
    green: isRegistered,
  }),
  guard({
    name: 'passkeys of the API: the five minutes of a challenge',
    file: apiCeremony,
    find: "    .where('passkey_ceremonies.expires_at', '>', now())\n",
    replace: "    .where('passkey_ceremonies.expires_at', '<>', now())\n",
    red: onOwnPage('passes for five minutes'),
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: what a challenge is for',
    file: apiCeremony,
    find: "    .where('passkey_ceremonies.purpose', 'in', purposes)\n",
    replace: "    .where('passkey_ceremonies.purpose', 'not in', ['none'])\n",
    red: onOwnPage('signs nobody in by the answer to a registration'),
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: the account of a challenge',
    file: apiCeremony,
    find: "    .where(ofEnvironment(caller, 'passkey_ceremonies'))\n",
    replace:
      "    .where(ofEnvironment({ ...caller, accountId: sql<string>`passkey_ceremonies.account_id` }, 'passkey_ceremonies'))\n",
    red: ofItsKey,
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: the environment of a challenge',
    file: apiCeremony,
    find: "    .where(ofEnvironment(caller, 'passkey_ceremonies'))\n",
    replace:
      "    .where(ofEnvironment({ ...caller, environment: sql<string>`passkey_ceremonies.environment` }, 'passkey_ceremonies'))\n",
    red: ofItsKey,
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: the organizations of a key that answers a challenge',
    file: apiCeremony,
    find: '(${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))',
    replace: '(${organizationIds}::uuid[] is null or organizations.id is not null)',
    red: ofItsKey,
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: the organization of a registration',
    file: apiCeremony,
    find: "query.where('organizations.domain', '=', domain ?? '')",
    replace: "query.where('organizations.domain', 'is not', null)",
    red: registered('is found in its organization and environment alone, by a key that may see it'),
    green: isRegistered,
  }),
  guard({
    name: 'passkeys of the API: a user who is verified',
    file: challenge,
    find: 'expectedAt(deps, page, ceremony, pending_sign_in_id === null)',
    replace: 'expectedAt(deps, page, ceremony, pending_sign_in_id === organizationId)',
    red: onOwnPage('whose answer is of nobody verified signs nobody in, and its challenge is over'),
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: the redirect URL of a challenge, when it is answered',
    file: challenge,
    find: '  if (redirect_uri !== null && !page.redirectUris.includes(redirect_uri))\n',
    replace: '  if (redirect_uri !== null && page.redirectUris.length === 0)\n',
    red: onOwnPage('signs in to no application that has changed its pages or its redirect URL'),
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: the challenges of an organization in a minute',
    file: challenge,
    find: '  await deps.limits.take(organizationAttempts, { accountId, environment, domain })\n',
    replace: '',
    red: onOwnPage('is asked for as often in a minute as passwords are tried in the organization'),
    green: isInThere,
  }),
  guard({
    name: 'passkeys of the API: a sign-in of the pages',
    file: challenge,
    find: '{ pendingSignInId, flowId: null })',
    replace: '{ pendingSignInId, flowId: sql`flow_id` as never })',
    also: [
      {
        file: challenge,
        find: "import type { Transaction } from 'kysely'\n",
        replace: "import { sql, type Transaction } from 'kysely'\n",
      },
    ],
    red: besidesOnOwnPage('completes no sign-in of the pages of the service'),
    green: besidesOnOwnPage('completes the sign-in of the password, also where nobody is verified'),
  }),
  guard({
    name: 'passkeys of the API: a user who is deactivated, at a registration',
    file: registration,
    find: "  if (!isUserActive) throw new ApiError('user_inactive')\n",
    replace: '',
    red: registered('adds nothing to a user who is deactivated or deleted by then'),
    green: isRegistered,
  }),
  guard({
    name: 'passkeys of the API: an organization that has them, at a registration',
    file: registration,
    find: "  if (!isActive) throw new ApiError('passkeys_inactive')\n",
    replace: '',
    red: registered('is of no address that only single sign-on lets in'),
    green: isRegistered,
  }),
  guard({
    name: 'passkeys: one that was added before the address was proved',
    file: 'server/src/directory/users/change-user.ts',
    find: '  await forgetPasskeys(trx, tenant, id)\n  await endSignInsOf',
    replace: '  await endSignInsOf',
    red: added('ends with the password when the owner of an address proves it for the first time'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys: a registration that was begun before the address was proved',
    file: 'server/src/directory/forget-passkeys.ts',
    find: '  await forgetCeremonies(trx, tenant, userId)\n',
    replace: '',
    red: registered('is over once a user proves a mailbox that somebody had only claimed'),
    green: isRegistered,
  }),
  guard({
    name: 'passkeys: who comes by single sign-on',
    file: signIn,
    find: " or ${comesBySso('users')})`",
    replace: ')`',
    red: used(
      'of who comes by single sign-on signs nobody in by itself, whatever the domain of their address',
    ),
    green: isIn,
  }),
  guard({
    name: 'passkeys: a touch that makes a session of long ago fresh',
    file: second,
    find: 'makesFresh(flow, deps.now()) && !proved.isVerified',
    replace: "flow.flowId === '' && !proved.isVerified",
    red: besides('has to verify its user where it would make the session of an unattended browser fresh'),
    green: passes,
  }),
]
