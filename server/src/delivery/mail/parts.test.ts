import { describe, expect, test } from 'vitest'
import { adminCodeMail, newAddressCodeMail, oldAddressCodeMail } from './admin-code.js'
import { deletionRequestMail } from './deletion-request.js'
import { domainNoticeMail } from './domain-notice.js'
import { emailChangedMail, emailRevertedMail } from './email-change.js'
import type { Message, Sender } from './frame.js'
import { metadataNoticeMail } from './metadata-notice.js'
import { adminInvitationMail, magicLinkMail, noticeMail } from './messages.js'
import { mailTexts } from './texts.js'

const link = 'https://auth.example/onboarding/awesome_company?token=q3Jc0mVx8n2Zr5t&x=1'

const visit = {
  at: '2026-03-14T09:26:53.589Z',
  browser: 'Firefox, Linux',
  network: '203.0.113.7',
  timeZone: 'Europe/Paris',
}

const mails: Readonly<Record<string, (sender: Sender) => Message>> = {
  'a link to sign in': (sender) => magicLinkMail({ ...sender, purpose: 'sign_in', link, minutes: 15 }),
  'a link to a password': (sender) => magicLinkMail({ ...sender, purpose: 'password', link, minutes: 1 }),
  'an invitation': (sender) => adminInvitationMail({ ...sender, serviceName: 'Storefront', link, days: 30 }),
  'a code of an administrator': (sender) => adminCodeMail({ ...sender, code: '294751', minutes: 10 }),
  'a code of a new address': (sender) => newAddressCodeMail({ ...sender, code: '294751', minutes: 15 }),
  'a code of an address that is to be changed': (sender) =>
    oldAddressCodeMail({ ...sender, code: '294751', minutes: 15, newAddress: 'ada@new.example' }),
  'an address that was changed': (sender) =>
    emailChangedMail({ ...sender, address: 'ada@new.example', link, days: 7, visit }),
  'an address that was changed, and that nobody had proved': (sender) =>
    emailChangedMail({ ...sender, address: 'ada@new.example', link: undefined, days: 7, visit }),
  'a user who asks to be deleted': (sender) =>
    deletionRequestMail({ ...sender, address: 'ada@awesome.example' }),
  'an address that was put back': (sender) =>
    emailRevertedMail({ ...sender, address: 'ada@old.example', visit }),
  'an address that somebody else has asked for': (sender) =>
    noticeMail({ ...sender, notice: 'email_change_tried' }),
  'metadata in use': (sender) =>
    metadataNoticeMail({ ...sender, idpId: 'awesome_company', protocol: 'saml', isCurrent: true }),
  'a client in use': (sender) =>
    metadataNoticeMail({ ...sender, idpId: 'awesome_company', protocol: 'oidc', isCurrent: true }),
  'metadata that wait': (sender) =>
    metadataNoticeMail({ ...sender, idpId: 'awesome_company', protocol: 'saml', isCurrent: false }),
  'a domain that lapses': (sender) =>
    domainNoticeMail({
      ...sender,
      domain: 'corp.dev',
      record: { name: '_x.corp.dev', value: 'token=x' },
      lapsesOn: '2026-03-28',
    }),
  'a domain that has lapsed': (sender) =>
    domainNoticeMail({
      ...sender,
      domain: 'corp.dev',
      record: { name: '_x.corp.dev', value: 'token=x' },
      lapsesOn: null,
    }),
  'a password that was set': (sender) => noticeMail({ ...sender, notice: 'password_set' }),
  'a password that was set on the account page': (sender) =>
    noticeMail({ ...sender, notice: 'password_set', visit, ownPage: link }),
  'a recovery code that was used': (sender) => noticeMail({ ...sender, notice: 'recovery_code_used' }),
  'a second factor': (sender) => noticeMail({ ...sender, notice: 'totp_enrolled' }),
  'a second factor that was forced': (sender) => noticeMail({ ...sender, notice: 'totp_enrollment_forced' }),
  'new recovery codes': (sender) => noticeMail({ ...sender, notice: 'recovery_codes_renewed' }),
  'an account that was deleted': (sender) => noticeMail({ ...sender, notice: 'account_deleted' }),
  'a second factor that was removed': (sender) =>
    noticeMail({ ...sender, notice: 'totp_enrollment_removed' }),
  'a passkey that was added': (sender) => noticeMail({ ...sender, notice: 'passkey_added' }),
  'an account elsewhere that was unlinked': (sender) =>
    noticeMail({ ...sender, notice: 'identity_unlinked' }),
  'a new password beside passkeys': (sender) =>
    noticeMail({ ...sender, notice: 'password_set', ownPage: link, keptPasskeys: ['iPhone'] }),
  'a recovery of passkeys': (sender) => noticeMail({ ...sender, notice: 'passkey_recovery_opened' }),
  'a recovery code that was used in place of a passkey': (sender) =>
    noticeMail({ ...sender, notice: 'passkey_recovery_code_used' }),
  'a passkey that was removed': (sender) => noticeMail({ ...sender, notice: 'passkey_removed' }),
  'a passkey that was blocked': (sender) => noticeMail({ ...sender, notice: 'passkey_disabled' }),
}

describe.each(Object.entries(mails))('the mail with %s', (_, mailFrom) => {
  test.each([
    ['en', 'production'],
    ['en', 'sandbox'],
    ['fr', 'production'],
    ['fr', 'sandbox'],
  ] as const)('says the same as text and as HTML, in the same order (%s, %s)', (locale, environment) => {
    const mail = mailFrom({
      organizationName: 'Awesome & company',
      locale,
      productName: 'Portico',
      environment,
      color: '#1f6feb',
    })
    const { plainLink } = mailTexts[locale]

    // For a link shown as a button, the HTML also contains its URL as text.
    const inHtml = sentencesOf(mail.html).filter((sentence) => sentence !== plainLink)
    expect(linesOf(mail.text)).toEqual([...new Set(inHtml)])
  })
})

describe('the invitation of an administrator', () => {
  const invitationOf = (serviceName: string | undefined) =>
    adminInvitationMail({
      serviceName,
      link,
      days: 30,
      organizationName: 'Awesome company',
      locale: null,
      productName: 'Portico',
      environment: 'production',
      color: '#1f6feb',
    }).text

  test('says first who asks, for what, and of whom', () => {
    expect(invitationOf('Storefront')).toMatch(
      /^You have been invited to connect the identity provider of Awesome company to Storefront/,
    )
  })

  test('names the product where no application has a name to show', () => {
    for (const name of [undefined, '\u200b'])
      expect(invitationOf(name)).toMatch(
        /^You have been invited to connect the identity provider of .* to Portico,/,
      )
  })
})

/** The paragraphs and link targets; the heading equals the subject. */
function sentencesOf(html: string): string[] {
  return [...html.matchAll(/<p\b[^>]*>(.*?)<\/p>/gs)].map(([, content = '']) => {
    const [, address] = /<a [^>]*href="([^"]*)"/.exec(content) ?? []
    return readable(address ?? content.replace(/<[^>]*>/g, ''))
  })
}

function readable(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

/** The lines of a text without markers: the stars of the sandbox, and the signature separator. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^\*\*\* | \*\*\*$/g, ''))
    .filter((line) => line !== '' && line !== '-- ')
}
