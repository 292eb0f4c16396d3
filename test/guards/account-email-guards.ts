import { guard, protocolTest } from './guard.js'

const folder = 'server/src/sign-in/own-account'
const rows = `${folder}/email-change.ts`
const own = `${folder}/own-email.ts`
const prove = `${folder}/prove-own-email.ts`
const confirm = `${folder}/confirm-own-email.ts`
const undo = `${folder}/revert-own-email.ts`
const added = `${folder}/remove-added.ts`
const open = 'server/src/directory/domains/open-address.ts'

const email = (title: string) => protocolTest('account-email', title)
const isChanged = email(
  'the address on the account page is changed by the codes of both mailboxes, is verified, and its user goes on with it',
)
const isKept = email(
  'the address on the account page is not changed where the organization or another system keeps it, nor to one that may not be here',
)
const isLate = email(
  'the address on the account page is not changed by a code after 15 minutes, nor by that of the other mailbox or of another change',
)
const isPutBack = email(
  'the link of the mail about a changed address puts it back once, ends sessions, stops changes for three days, and tells the account',
)
const isRemoved = email(
  'the link of the mail about a changed address removes an app and an account elsewhere that were added for the change, and no passkey that was there 14 days before',
)
const isBounded = email(
  'the link of the mail about a changed address works for seven days, at its own organization alone, and by no form of another browser',
)
const isRefused = email(
  'the link of the mail about a changed address ends sessions where another user has the address or a directory writes it, and changes nothing where the user is gone',
)
const standsIn = email(
  'an app or a passkey that a user has had for a week stands in for the mailbox that they no longer read, by a code that is good for one use',
)
const isJustAdded = email(
  'a stolen session on the account page cannot put an app or a passkey in place of the mailbox that it has just added',
)

const anySession = (end: string) => ({
  file: rows,
  find: `    .where('session_id', '=', sessionId)\n    .where('confirmed_at', 'is', null)\n    .where('expires_at', '>', at)\n    ${end}`,
  replace: `    .where('confirmed_at', 'is', null)\n    .where('expires_at', '>', at)\n    ${end}`,
})

/** Guards of the change of an address, and of the link that puts it back. */
export const accountEmailGuards = [
  guard({
    name: 'address: the tries of a code',
    file: rows,
    find: "    .where('code_failures', '<', maxAddressCodeFailures)\n",
    replace: '',
    red: email(
      'the address on the account page is not changed by wrong codes: five of each mailbox are compared, and then the right one is none',
    ),
    green: isChanged,
  }),
  guard({
    name: 'address: the lifetime of a code',
    file: rows,
    find: "    .where('code_expires_at', '>', at)\n",
    replace: '',
    red: isLate,
    green: isChanged,
  }),
  guard({
    name: 'address: the mailbox of a code',
    file: rows,
    find: "return stage === 'old' ? sql<boolean>`old_proof is null` : sql<boolean>`old_proof is not null`",
    replace: 'return sql<boolean>`${stage !== undefined}`',
    also: [
      {
        file: 'server/src/sign-in/flows/address-code.ts',
        find: '    shown.email === email &&\n',
        replace: '    email !== undefined &&\n',
      },
    ],
    red: isLate,
    green: isChanged,
  }),
  guard({
    name: 'address: the session of a change',
    ...anySession('.select(openColumns)'),
    also: [anySession('.returning(openColumns)')],
    red: email(
      'a stolen session on the account page does not go on with what the session of the user has begun, and its own request ends that',
    ),
    green: isChanged,
  }),
  guard({
    name: 'address: who may change it, when it is written',
    file: confirm,
    find: '          ? await whyNotChanged(within, trx, tenant, { account, userId, email })\n',
    replace: '          ? undefined\n',
    red: isKept,
    green: isChanged,
  }),
  guard({
    name: 'address: the one that was to be changed',
    file: confirm,
    find: '        account.email === oldEmail\n',
    replace: "        account.email !== ''\n",
    red: email('the address on the account page that the API has changed in between stays as it is'),
    green: isChanged,
  }),
  guard({
    name: 'address: those that the organization allows',
    file: open,
    find: '${isAddressAllowed(address.emailNormalized)}',
    replace: 'true',
    red: isKept,
    green: isChanged,
  }),
  guard({
    name: 'address: those of an SSO connection',
    file: open,
    find: '        and not ${isOfConnection(address)}\n',
    replace: '',
    red: isKept,
    green: isChanged,
  }),
  guard({
    name: 'address: a code for that of another user',
    file: own,
    find: '  if (owner === undefined) await mailCode(deps, trx, key)\n  else {',
    replace: '  await mailCode(deps, trx, key)\n  if (owner !== undefined) {',
    red: email(
      'the address on the account page that somebody has is asked for alike: the page is the same, its user is told, and no code fits',
    ),
    green: isChanged,
  }),
  guard({
    name: 'address: an app that was just enrolled',
    file: prove,
    find: "    .where('validated_at', '<=', new Date(now().getTime() - standInAgeMs))\n",
    replace: "    .where('validated_at', '<=', now())\n",
    red: isJustAdded,
    green: standsIn,
  }),
  guard({
    name: 'address: a passkey that was just added',
    file: prove,
    find: "    .where('passkeys.inserted_at', '<=', new Date(now().getTime() - standInAgeMs))\n",
    replace: "    .where('passkeys.inserted_at', '<=', now())\n",
    red: isJustAdded,
    green: standsIn,
  }),
  guard({
    name: 'address: the passkey of the user',
    file: prove,
    find: "      .where('passkeys.id', '=', proved.passkeyId)\n",
    replace: '',
    red: email(
      'an app or a passkey that a user has had for a week is used on the page by its authenticator, once, and is the user’s own',
    ),
    green: standsIn,
  }),
  guard({
    name: 'address: one use of a link',
    file: undo,
    find: "    .where('reverted_at', 'is', null)\n    .where('expires_at', '>', at)\n    .set(",
    replace: "    .where('expires_at', '>', at)\n    .set(",
    also: [{ file: undo, find: "    .where('change.reverted_at', 'is', null)\n", replace: '' }],
    red: isPutBack,
    green: isChanged,
  }),
  guard({
    name: 'address: the lifetime of a link',
    file: undo,
    find: "    .where('expires_at', '>', at)\n    .set(",
    replace: '    .set(',
    also: [{ file: undo, find: "    .where('change.expires_at', '>', key.at)\n", replace: '' }],
    red: isBounded,
    green: isChanged,
  }),
  guard({
    name: 'address: the organization of a link',
    file: undo,
    find: "    .where('organizations.domain', '=', key.organizationDomain)\n",
    replace: '',
    red: isBounded,
    green: isChanged,
  }),
  guard({
    name: 'address: forms of other browsers at a link',
    file: 'server/src/pages/email-link/router.ts',
    find: '  if (secretOfOurForm(req, site, token) === undefined) {',
    replace: '  if (secretOfOurForm(req, site, token) === token) {',
    red: isBounded,
    green: isChanged,
  }),
  guard({
    name: 'address: links to the addresses in between',
    file: undo,
    find: "is('confirmed_at', '>=', used.confirmed_at ?? deps.now())",
    replace: "is('confirmed_at', '<', used.confirmed_at ?? deps.now())",
    red: email(
      'the link of the mail about a changed address of the first address ends those of the addresses that came after it',
    ),
    green: isChanged,
  }),
  guard({
    name: 'address: sessions when it is put back',
    file: undo,
    find: '  await endSessionsOf(deps, trx, tenant, current.id)\n',
    replace: '',
    red: isPutBack,
    green: isChanged,
  }),
  guard({
    name: 'address: ways to sign in that were added before it was put back',
    file: undo,
    find: '  await removeLatelyAdded(link)\n  const key',
    replace: '  const key',
    red: email(
      'the link of the mail about a changed address removes the passkey and the password that were added for the change, so that the thief has none and the owner is asked for none',
    ),
    green: isPutBack,
  }),
  guard({
    name: 'change of an address: the password that a thief has set',
    file: 'server/src/sign-in/own-account/remove-added.ts',
    find: '  await forgetPassword(deps, trx, tenant, userId, { since })\n',
    replace: '  void forgetPassword\n',
    red: email(
      'the link of the mail about a changed address removes the passkey and the password that were added for the change, so that the thief has none and the owner is asked for none',
    ),
    green: isPutBack,
  }),
  guard({
    name: 'address: accounts elsewhere that were added before it was put back',
    file: added,
    find: "    .where('kind', '=', 'social')\n    .where('inserted_at', '>', since)\n",
    replace: "    .where('kind', '=', 'social')\n    .where('inserted_at', '<', since)\n",
    red: isRemoved,
    green: isPutBack,
  }),
  guard({
    name: 'address: a second factor that was added before it was put back',
    file: added,
    find: "    .where('validated_at', '>', since)\n",
    replace: "    .where('validated_at', '<', since)\n",
    red: isRemoved,
    green: isPutBack,
  }),
  guard({
    name: 'address: another change after it was put back',
    file: own,
    find: "  if ((await findStop(db, tenant, userId, now())) !== undefined) return 'stopped'\n",
    replace: '  await findStop(db, tenant, userId, now())\n',
    red: isPutBack,
    green: isChanged,
  }),
  guard({
    name: 'address: a directory that writes it',
    file: undo,
    find: "  if (link.isKeptByDirectory) return keepAddress(link, 'managed')\n",
    replace: '',
    red: isRefused,
    green: isChanged,
  }),
  guard({
    name: 'address: sessions where it cannot be put back',
    file: undo,
    find: '  await endWhatWasBegun(link)\n  await removeLatelyAdded(link)\n  const entry',
    replace: '  await removeLatelyAdded(link)\n  const entry',
    red: isRefused,
    green: isPutBack,
  }),
  guard({
    name: 'address: what an operator has written since',
    file: undo,
    find: "  if (link.newestEmail !== current.email) return keepAddress(link, 'overruled')\n",
    replace: '',
    red: email(
      'the link of the mail about a changed address ends sessions, and leaves the address, once an operator has given the user another one',
    ),
    green: isPutBack,
  }),
  guard({
    name: 'address: links of before an operator has had the last word',
    file: confirm,
    find: 'newest !== undefined && newest !== current.email',
    replace: "newest === ''",
    red: email(
      'the link of the mail about a changed address of an address that an operator has taken away works no more once the user changes it again',
    ),
    green: isPutBack,
  }),
  guard({
    name: 'address: an open recovery of passkeys',
    file: confirm,
    find: '  await forgetRecovery(trx, tenant, current.id)\n',
    replace: '',
    red: email(
      'the link of the mail about a changed address is mailed when the recovery of passkeys ends, which is of the mailbox that the user had',
    ),
    green: isPutBack,
  }),
  guard({
    name: 'address: a link to a mailbox that nobody has proved',
    file: confirm,
    find: "proof === 'mailbox' || current.email_verified ? 'changed' : 'told'",
    replace: "proof === 'mailbox' || current.email !== '' ? 'changed' : 'told'",
    red: email(
      'the link of the mail about a changed address is in no mail to an address that nobody had proved',
    ),
    green: isChanged,
  }),
]
