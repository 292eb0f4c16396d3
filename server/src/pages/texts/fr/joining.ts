import type { joining as en } from '../en/joining.js'

export const joining: typeof en = {
  join: {
    heading: (organization) => `Rejoindre ${organization}`,
    sentence: (organization) =>
      `Votre adresse e-mail est confirmée, mais elle n’a pas encore de compte chez ${organization}. Demandez à rejoindre l’organisation\u00a0: une personne de l’organisation décidera.`,
    button: 'Demander à rejoindre',
    askedHeading: 'Votre demande a été envoyée',
    asked: (organization) => `${organization} vous enverra un e-mail dès que la décision sera prise.`,
    askedAdvice: 'Vous pouvez fermer cette page.',
    faults: { too_many: (wait) => `Vous avez fait trop de demandes. Réessayez ${wait}.` },
  },
  joinClosed: {
    heading: 'Vous ne pouvez pas faire de demande pour le moment',
    sentence: 'L’organisation n’accepte plus de demandes de cette adresse, ou l’adresse a déjà un compte.',
    advice:
      'Retournez dans l’application et connectez-vous de nouveau. Si cela ne suffit pas, demandez une invitation.',
  },
}
