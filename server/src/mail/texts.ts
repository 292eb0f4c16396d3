/** The words of the mails in one language. */
export interface MailTexts {
  readonly magicLink: {
    readonly subject: (organization: string) => string
    readonly invitation: (organization: string) => string
    readonly button: string
    readonly lifetime: (minutes: number) => string
    readonly plainLink: string
    readonly unexpected: string
  }
  readonly sandbox: string
  readonly sentBy: (product: string, organization: string) => string
}

const en: MailTexts = {
  magicLink: {
    subject: (organization) => `Sign in to ${organization}`,
    invitation: (organization) => `Use this link to sign in to ${organization}:`,
    button: 'Sign in',
    lifetime: (minutes) =>
      `The link works once, for ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Do not share it: whoever opens it signs in as you.`,
    plainLink: 'If the button does not work, copy this address into your browser:',
    unexpected:
      'If you did not ask for this, ignore this message. Nobody can sign in without the link, and nothing has changed.',
  },
  sandbox: 'Test message: this comes from a sandbox, not from the real service.',
  sentBy: (product, organization) => `Sent by ${product} for ${organization}`,
}

const fr: MailTexts = {
  magicLink: {
    subject: (organization) => `Se connecter à ${organization}`,
    invitation: (organization) => `Utilisez ce lien pour vous connecter à ${organization}\u00a0:`,
    button: 'Se connecter',
    lifetime: (minutes) =>
      `Le lien fonctionne une seule fois, pendant ${minutes === 1 ? 'une minute' : `${minutes} minutes`}. Ne le partagez pas\u00a0: quiconque l’ouvre se connecte à votre place.`,
    plainLink: 'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:',
    unexpected:
      'Si vous n’avez rien demandé, ignorez ce message. Personne ne peut se connecter sans le lien, et rien n’a changé.',
  },
  sandbox: 'Message de test\u00a0: il provient d’un bac à sable, pas du service réel.',
  sentBy: (product, organization) => `Envoyé par ${product} pour ${organization}`,
}

/** The languages of mails, by the first part of a BCP 47 tag. */
export const mailTexts = { en, fr } satisfies Record<string, MailTexts>

export type MailLanguage = keyof typeof mailTexts

/** The language of a mail: the recipient's where there is one, else English. */
export function mailLanguageOf(locale: string | null): MailLanguage {
  const language = locale?.split(/[-_]/)[0]?.toLowerCase()
  return language === 'fr' ? 'fr' : 'en'
}
