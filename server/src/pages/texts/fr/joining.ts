import type { joining as en } from '../en/joining.js'

export const joining: typeof en = {
  join: {
    headings: {
      open: (organization) => `Rejoindre ${organization}`,
      asked: () => 'Votre demande a été envoyée',
      denied: (organization) => `Rejoindre ${organization}`,
      member: (organization) => `Vous êtes membre de ${organization}`,
    },
    sentences: {
      open: (organization) =>
        `Votre adresse e-mail est confirmée, mais elle n’a pas encore de compte chez ${organization}. Demandez à rejoindre l’organisation\u00a0: vous recevrez un e-mail lorsque la décision sera prise.`,
      asked: (organization) => `Vous recevrez un e-mail dès que ${organization} aura décidé.`,
      denied: () => 'Votre dernière demande n’a pas été acceptée. Vous pouvez en faire une autre.',
      member: (organization) => `Vous pouvez maintenant vous connecter à ${organization}.`,
    },
    button: 'Demander à rejoindre',
    askAgain: 'Faire une nouvelle demande',
    enter: 'Continuer',
    askedAdvice: 'Vous pouvez fermer cette page.',
    faults: { too_many: (wait) => `Vous avez fait trop de demandes. Réessayez ${wait}.` },
  },
  joinClosed: {
    heading: 'Vous ne pouvez pas faire de demande pour le moment',
    sentence: 'L’organisation n’accepte pas de demandes de cette adresse en ce moment.',
    advice:
      'Retournez dans l’application et connectez-vous de nouveau. Si cela ne suffit pas, demandez une invitation.',
  },
}
