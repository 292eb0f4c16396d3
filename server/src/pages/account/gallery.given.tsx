import { eachOwnMember } from '../../sign-in/own-account/own-account.js'
import type { Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import { accountPage } from '../views/account.js'
import { accountDataPage } from '../views/account-data.js'
import { accountEmailPage } from '../views/account-email.js'
import { accountDeletePage } from '../views/account-delete.js'
import { linkedPage, linkingPage } from '../views/account-linked.js'
import { passkeysPage } from '../views/account-passkeys.js'
import { accountPasswordPage } from '../views/account-password.js'
import { profilePage } from '../views/account-profile.js'
import { secondFactorPage } from '../views/account-second-factor.js'

/** The account page in its states: the name of each, and its page. */
export function accountPageStates(
  frame: Frame,
  form: PageForm,
  email: string,
): readonly (readonly [name: string, html: string])[] {
  const view = { frame, form, email }
  const known = new Map<string, string>([
    ['given_name', 'Ada'],
    ['family_name', 'Lovelace'],
    ['locale', 'en-GB'],
    ['zoneinfo', 'Europe/London'],
    ['locality', 'London'],
  ])
  const values = eachOwnMember((name) => known.get(name) ?? '')
  const names = { ...view, values, isManaged: false, isDone: false, wrong: undefined }
  const password = {
    ...view,
    isOffered: true,
    needsMailbox: false,
    isSet: true,
    lengths: { min: 12, max: 128 },
    isDone: false,
  }
  const method = 'totp_mobile_app'
  const factor = {
    ...view,
    isOffered: true,
    method,
    enrolledMethod: null,
    mayRemove: true,
    isDone: false,
  } as const
  const first = {
    frame,
    email,
    addressOf: () => '/t/awesome-company/account/profile',
    states: {
      password: frame.texts.account.states.passwordSet,
      'second-factor': frame.texts.account.states.off,
      passkeys: frame.texts.account.states.passkeys(2),
    },
    hidden: [],
  }
  const address = { ...view, isManaged: false, stoppedSeconds: undefined, waiting: undefined, isDone: false }
  const waiting = { email: 'ada@new.example', stage: 'old', hasApp: false, options: undefined } as const
  const proving = { ...address, waiting }
  const now = new Date('2026-03-14T09:26:53.589Z')
  const addedAt = new Date('2026-03-11T09:26:53.589Z')
  const deletion = {
    ...view,
    ...{ isOffered: false, isRequestOffered: false, requestedAt: undefined, now, isWrong: false },
  }
  const phone = {
    ...{ id: 'a', name: 'iCloud Keychain', isSynced: true, isDisabled: false },
    ...{ addedAt, lastUsedAt: now },
  }
  const key = { ...phone, id: 'b', name: 'YubiKey', isSynced: false, isDisabled: true, lastUsedAt: null }
  // Whole, since the page tells the browser of them.
  const options = {
    challenge: 'eA',
    rp: { id: 'localhost', name: 'Portico' },
    user: { id: 'YWRh', name: 'ada@new.example', displayName: 'ada@new.example' },
    excludeCredentials: [],
  }
  const passkeys = {
    ...view,
    passkeys: [phone, key],
    options,
    now,
    isFirstFactor: true,
    isOnlyFactor: false,
    codesLeft: undefined,
    hasUnaskedCodes: false,
    isDone: false,
  }
  const google = { id: 'a', name: 'Google', email: 'ada@gmail.com', authenticatedAt: addedAt }
  const offered = [{ name: 'microsoft', displayName: 'Microsoft' }]
  const linked = { ...view, linked: [google], offered, now, isDone: false }
  const provider = '/social/0190d2d0-4a5b-7c6d-8e7f-90a1b2c3d4e5/test?state=x'
  return [
    ['account', accountPage(first)],
    ['account-profile', profilePage(names)],
    ['account-profile-wrong', profilePage({ ...names, wrong: 'family_name' })],
    ['account-profile-managed', profilePage({ ...names, isManaged: true })],
    ['account-email', accountEmailPage(address)],
    ['account-email-changed', accountEmailPage({ ...address, isDone: true })],
    ['account-email-managed', accountEmailPage({ ...address, isManaged: true })],
    ['account-email-stopped', accountEmailPage({ ...address, stoppedSeconds: 200_000 })],
    ['account-email-wrong', accountEmailPage({ ...address, typed: 'ada@', fault: 'invalid' })],
    ['account-email-old', accountEmailPage(proving)],
    [
      'account-email-old-app',
      accountEmailPage({
        ...proving,
        waiting: { ...waiting, hasApp: true, options: { challenge: 'x' } },
        fault: 'wrong_app_code',
      }),
    ],
    ['account-email-new', accountEmailPage({ ...proving, waiting: { ...waiting, stage: 'new' } })],
    [
      'account-email-new-over',
      accountEmailPage({ ...proving, waiting: { ...waiting, stage: 'new' }, fault: 'code_over' }),
    ],
    ['account-password', accountPasswordPage(password)],
    ['account-password-first', accountPasswordPage({ ...password, isSet: false })],
    ['account-password-saved', accountPasswordPage({ ...password, isDone: true })],
    ['account-password-not-offered', accountPasswordPage({ ...password, isOffered: false })],
    ['account-password-needs-mailbox', accountPasswordPage({ ...password, needsMailbox: true })],
    ['account-second-factor', secondFactorPage(factor)],
    ['account-second-factor-not-offered', secondFactorPage({ ...factor, isOffered: false })],
    ['account-second-factor-on', secondFactorPage({ ...factor, enrolledMethod: method, isDone: true })],
    [
      'account-second-factor-demanded',
      secondFactorPage({ ...factor, enrolledMethod: 'sms', mayRemove: false }),
    ],
    ['account-data', accountDataPage({ ...view, isOffered: true })],
    ['account-data-not-offered', accountDataPage({ ...view, isOffered: false })],
    ['account-data-too-many', accountDataPage({ ...view, isOffered: true, retryAfterSeconds: 7200 })],
    ['account-delete', accountDeletePage({ ...deletion, isOffered: true })],
    ['account-delete-wrong', accountDeletePage({ ...deletion, isOffered: true, isWrong: true })],
    ['account-delete-not-offered', accountDeletePage(deletion)],
    ['account-delete-ask', accountDeletePage({ ...deletion, isRequestOffered: true })],
    [
      'account-delete-asked',
      accountDeletePage({ ...deletion, isRequestOffered: true, requestedAt: addedAt }),
    ],
    ['account-second-factor-over', secondFactorPage({ ...factor, fault: 'over' })],
    ['account-linked', linkedPage(linked)],
    ['account-linked-none', linkedPage({ ...linked, linked: [] })],
    ['account-linked-done', linkedPage({ ...linked, isDone: true })],
    ['account-linked-taken', linkedPage({ ...linked, fault: 'taken' })],
    ['account-linked-last', linkedPage({ ...linked, offered: [], fault: 'last' })],
    ['account-linked-not-offered', linkedPage({ ...linked, linked: [], offered: [] })],
    ['account-linking', linkingPage({ frame, url: provider, provider: 'Google', back: form.action })],
    ['account-passkeys', passkeysPage(passkeys)],
    ['account-passkeys-none', passkeysPage({ ...passkeys, passkeys: [] })],
    ['account-passkeys-besides', passkeysPage({ ...passkeys, isFirstFactor: false })],
    [
      'account-passkeys-only',
      passkeysPage({ ...passkeys, passkeys: [phone], isOnlyFactor: true, codesLeft: 0 }),
    ],
    ['account-passkeys-code', passkeysPage({ ...passkeys, passkeys: [phone], codesLeft: 1 })],
    ['account-passkeys-codes', passkeysPage({ ...passkeys, passkeys: [phone], codesLeft: 5 })],
    ['account-passkeys-codes-rest', passkeysPage({ ...passkeys, hasUnaskedCodes: true })],
    ['account-passkeys-added', passkeysPage({ ...passkeys, isDone: true })],
    ['account-passkeys-last', passkeysPage({ ...passkeys, passkeys: [phone], fault: 'last' })],
    ['account-passkeys-not-offered', passkeysPage({ ...passkeys, passkeys: [], options: undefined })],
  ]
}
