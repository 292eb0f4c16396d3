import type { MailLanguage } from '../mail/texts.js'

/** The texts of the text messages in one language. */
interface SmsTexts {
  readonly code: (code: string, organization: string, minutes: number) => string
  readonly sandbox: string
}

// Short, because more than 160 characters, or 70 with one outside the GSM alphabet, cost a second message.
const en: SmsTexts = {
  code: (code, organization, minutes) =>
    `${code} is your code for ${organization}. It expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Do not share it.`,
  sandbox: 'Test',
}

const fr: SmsTexts = {
  code: (code, organization, minutes) =>
    `${code} est votre code pour ${organization}. Il expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`}. Ne le donnez à personne.`,
  sandbox: 'Test',
}

/** By the languages of mails. */
export const smsTexts: Readonly<Record<MailLanguage, SmsTexts>> = { en, fr }
