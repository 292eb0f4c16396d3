import { organizationColors } from '@portico/contract/organizations'
import { describe, expect, test } from 'vitest'
import { oldAddressCodeMail } from './admin-code.js'
import { impersonationMail } from './impersonation.js'
import { metadataNoticeMail } from './metadata-notice.js'
import { magicLinkMail, noticeMail, type MagicLinkMail } from './messages.js'

const link = 'https://auth.example/t/awesome-company/magic-link?token=q3Jc0mVx8n2Zr5t&x=1'

function mailWith(changes: Partial<MagicLinkMail> = {}) {
  return magicLinkMail({
    purpose: 'sign_in',
    organizationName: 'Awesome company',
    locale: null,
    productName: 'Portico',
    link,
    minutes: 15,
    environment: 'production',
    color: '#1f6feb',
    ...changes,
  })
}

describe('the mail about an impersonation', () => {
  const mail = {
    ...{ startedAt: new Date('2026-03-14T23:26:53Z'), timeZone: 'Europe/Paris', minutes: 15 },
    ...{ organizationName: 'Awesome company', locale: null, productName: 'Portico' },
    environment: 'production' as const,
    color: '#1f6feb',
  }

  test('says when it began where the organization is, and how long it lasts, without a link', () => {
    const { subject, text, html } = impersonationMail(mail)

    expect(subject).toBe('A member of our staff used your account at Awesome company')
    for (const part of [text, html]) {
      expect(part).toMatch(/March 15, 2026 at 12:26.AM \(Europe\/Paris\)/)
      expect(part).toContain('for at most 15 minutes')
      expect(part).not.toContain('href')
    }
  })

  test('is in French for every French', () => {
    const { subject, text } = impersonationMail({ ...mail, locale: 'fr-CA', minutes: 1 })
    expect(subject).toBe('Un membre de notre assistance a utilisé votre compte chez Awesome company')
    expect(text).toMatch(/^Le 15 mars 2026 à 00:26 \(Europe\/Paris\), .* pour une minute au plus/)
  })
})

describe('the mail with a magic link', () => {
  test('says in text what it says in HTML: from whom, the link, how long it works, and what if unasked', () => {
    const { subject, text, html } = mailWith()

    expect(subject).toBe('Sign in to Awesome company')
    expect(text.split('\n')).toContain(link)
    expect(html).toContain(`href="${link.replace('&', '&amp;')}"`)
    for (const part of [text, html]) {
      expect(part).toContain('15 minutes')
      expect(part).toContain('If you did not ask for this')
    }
  })

  test('is in French for every French', () => {
    for (const locale of ['fr', 'fr-CA', 'FR']) {
      const { subject, text, html } = mailWith({ locale })
      expect(subject).toBe('Se connecter à Awesome company')
      expect(text).toContain('Si vous n’avez rien demandé')
      expect(html).toContain('<html lang="fr">')
    }
  })

  test('is in English for a language it has no words for', () => {
    expect(mailWith({ locale: 'de-CH' }).html).toContain('<html lang="en">')
    expect(mailWith({ locale: 'toString' }).html).toContain('<html lang="en">')
  })

  test('says that it comes from the sandbox, and only then', () => {
    const sandbox = mailWith({ environment: 'sandbox' })

    for (const part of [sandbox.text, sandbox.html]) expect(part).toContain('Test message')
    for (const part of [mailWith().text, mailWith().html]) expect(part).not.toContain('Test message')
  })

  test('takes an organization name as text, whatever is in it', () => {
    const { subject, text, html } = mailWith({
      organizationName: 'A\r\nBcc: eve@evil.example\u202e\u0000 <script>alert(1)</script>"',
    })

    expect(subject).toBe('Sign in to A Bcc: eve@evil.example <script>alert(1)</script>"')
    expect(text.split('\n')[0]).toBe(
      `Use this link to ${subject.slice(0, 1).toLowerCase()}${subject.slice(1)}:`,
    )
    expect(html).not.toContain('<script')
    expect(html).toContain('&lt;script>')
  })

  test('cuts a long organization name to 60 characters, never within one', () => {
    expect(mailWith({ organizationName: '👩'.repeat(80) }).subject).toBe(`Sign in to ${'👩'.repeat(59)}…`)
    expect(mailWith({ organizationName: 'x'.repeat(60) }).subject).toBe(`Sign in to ${'x'.repeat(60)}`)
  })

  test('names the product where the organization name shows nothing', () => {
    expect(mailWith({ organizationName: '\u200b\u200f' }).subject).toBe('Sign in to Portico')
  })

  test('loads nothing, runs nothing and names no address but the link', () => {
    const { html } = mailWith()

    expect(html).not.toMatch(/<(img|script|iframe|link|object)\b|url\(|@import|\bsrc=|\bon\w+=/)
    const addresses = html.match(/https?:\/\/[^\s"<]+/g) ?? []
    expect(new Set(addresses.map((address) => address.replaceAll('&amp;', '&')))).toEqual(new Set([link]))
  })

  test('keeps its dark style readable as CSS', () => {
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(mailWith().html) ?? []

    expect(style).toContain('prefers-color-scheme: dark')
    expect(style).not.toMatch(/&\w+;/)
  })

  test('has white words on its button, which every colour of an organization carries', () => {
    for (const color of organizationColors) {
      const { html } = mailWith({ color })
      expect(html).toContain(`background-color:${color};`)
      // WCAG 2.2, 1.4.3: 4.5 to 1.
      expect(1.05 / (luminanceOf(color) + 0.05)).toBeGreaterThanOrEqual(4.5)
    }
  })
})

describe('a notice', () => {
  const notices = [
    'password_set',
    'recovery_code_used',
    'totp_enrolled',
    'totp_enrollment_forced',
    'totp_enrollment_removed',
    'recovery_codes_renewed',
    'account_deleted',
    'passkey_added',
    'passkey_removed',
    'passkey_disabled',
    'passkey_recovery_opened',
    'passkey_recovery_code_used',
    'identity_linked',
    'identity_unlinked',
  ] as const
  const noticeWith = (
    notice: (typeof notices)[number],
    changes: { locale?: string; environment?: 'sandbox' } = {},
  ) =>
    noticeMail({
      notice,
      organizationName: 'Awesome company',
      locale: null,
      productName: 'Portico',
      environment: 'production',
      color: '#1f6feb',
      ...changes,
    })

  test.each([
    ['password_set', 'Your password for Awesome company was set', 'no longer works.'],
    ['recovery_code_used', 'A recovery code was used to sign in to Awesome company', 'cannot be used again.'],
    ['totp_enrolled', 'Two-step verification was set up at Awesome company', 'you enter a code'],
    [
      'totp_enrollment_forced',
      'New two-step verification was started at Awesome company',
      'until the new one is confirmed.',
    ],
    [
      'totp_enrollment_removed',
      'Two-step verification was removed at Awesome company',
      'you were signed out everywhere.',
    ],
    ['recovery_codes_renewed', 'You have new recovery codes for Awesome company', 'no longer work.'],
    ['account_deleted', 'Your account at Awesome company was deleted', 'you were signed out everywhere.'],
    ['passkey_added', 'A passkey was added at Awesome company', 'can sign in with it.'],
    ['passkey_removed', 'A passkey was removed at Awesome company', 'signed out everywhere else.'],
    ['passkey_disabled', 'A passkey was blocked at Awesome company', 'Then add a new one.'],
    ['passkey_recovery_opened', 'You can replace your passkeys at Awesome company', 'Within 24 hours'],
    ['passkey_recovery_code_used', 'A recovery code was used at Awesome company', 'cannot be used again.'],
    ['identity_linked', 'Another way to sign in to Awesome company was added', 'can sign in with it here.'],
    ['identity_unlinked', 'A way to sign in to Awesome company was removed', 'no longer signs you in.'],
  ] as const)('of %s says what has happened, in text and in HTML', (notice, subject, told) => {
    const mail = noticeWith(notice)

    expect(mail.subject).toBe(subject)
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain(told)
      expect(part).toContain('If this was not you')
    }
  })

  test.each(notices)('of %s is in French for every French', (notice) => {
    const { text, html } = noticeWith(notice, { locale: 'fr-CA' })

    expect(text).toContain('Si ce n’était pas vous')
    expect(html).toContain('<html lang="fr">')
  })

  test.each(notices)('of %s has no link to follow, and says when it comes from the sandbox', (notice) => {
    const production = noticeWith(notice)
    const sandbox = noticeWith(notice, { environment: 'sandbox' })

    for (const part of [production.text, production.html])
      expect(part).not.toMatch(/https?:|<a |Test message/)
    for (const part of [sandbox.text, sandbox.html]) expect(part).toContain('Test message')
  })
})

/** WCAG 2.2, relative luminance. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

describe('the mail about a change on the account page', () => {
  const mailWith = (browser: string | null, locale: string | null, ownPage?: string) =>
    noticeMail({
      ...{ notice: 'password_set', ownPage },
      visit: {
        ...{ at: '2026-03-14T09:26:53.589Z', browser },
        ...{ network: '203.0.113.7', timeZone: 'Europe/Paris' },
      },
      organizationName: 'Awesome company',
      locale,
      productName: 'Portico',
      environment: 'production',
      color: '#1f6feb',
    })

  test('says when, in which browser and from which network, in the language and time zone of the organization', () => {
    const { text } = mailWith('Firefox, Linux', null)
    expect(text).toMatch(
      /March 14, 2026 at 10:26.AM \(Europe\/Paris\), in Firefox, Linux, from the network 203\.0\.113\.7\./,
    )
    expect(mailWith(null, 'fr-FR').text).toContain(
      '14 mars 2026 à 10:26 (Europe/Paris), avec un navigateur que nous ne connaissons pas, depuis le réseau 203.0.113.7.',
    )
  })

  test('has the address of the account page as its only link, where there is one', () => {
    const address = 'https://auth.example/t/awesome-company/account?environment=production'
    expect(mailWith(null, null, address).html.match(/href="[^"]*"/g)).toEqual([`href="${address}"`])
    expect(mailWith(null, null).html).not.toContain('href=')
  })
})

test('the mail about a new password lists the passkeys that still work, with the address of the account page as its only link', () => {
  const ownPage = 'https://auth.example/t/awesome-company/account?environment=production'
  const mail = noticeMail({
    ...{ notice: 'password_set', ownPage, keptPasskeys: ['My telephone', 'evil.example'] },
    organizationName: 'Awesome company',
    locale: null,
    productName: 'Portico',
    environment: 'production',
    color: '#1f6feb',
  })
  expect(mail.text).toContain('These passkeys of your account still work: My telephone, ')
  expect(mail.text).not.toContain('evil.example')
  expect(mail.html.match(/href="[^"]*"/g)).toEqual([`href="${ownPage}"`])
})

test('an address that a user has typed is no link in a mail to somebody else', () => {
  const mail = oldAddressCodeMail({
    ...{ code: '294751', minutes: 15, newAddress: 'ada@evil.example' },
    organizationName: 'Awesome company',
    locale: null,
    productName: 'Portico',
    environment: 'production',
    color: '#1f6feb',
  })

  for (const part of [mail.text, mail.html]) {
    expect(part).toContain('changed to ada@evil.\u200bexample')
    expect(part).not.toContain('evil.example')
  }
})

describe('the mail about metadata', () => {
  const mailWith = (isCurrent: boolean, locale: string | null = null) =>
    metadataNoticeMail({
      idpId: 'awesome_company_q3Jc0mVx8n2Zr5t',
      protocol: 'saml',
      isCurrent,
      organizationName: 'Awesome company',
      locale,
      productName: 'Portico',
      environment: 'production',
      color: '#1f6feb',
    })

  test('says whether they are in use, of which connection, and what if unasked; it has no link', () => {
    for (const { text, html } of [mailWith(true), mailWith(false)])
      for (const part of [text, html]) {
        expect(part).toContain('connection awesome_company_q3Jc0mVx8n2Zr5t')
        expect(part).toContain('If none of you did this')
        expect(part).not.toContain('<a ')
      }
    expect(mailWith(true).text).toContain('It is in use')
    expect(mailWith(false).text).toContain('Nothing has changed for your users yet')
  })

  test('is in French for every French', () => {
    expect(mailWith(true, 'fr-CA').text).toContain('Elles sont actives')
    expect(mailWith(false, 'fr').html).toContain('Rien n’a encore changé')
  })
})
