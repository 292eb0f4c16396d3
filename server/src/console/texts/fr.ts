import type { ConsoleTexts } from './en.js'

/** The words of the console in French. */
export const fr: ConsoleTexts = {
  start: {
    heading: (account) => `Devenez le premier propriétaire de ${account}`,
    lead: 'Le propriétaire peut tout faire dans la console, et c’est lui qui invite les autres.',
    email: 'Adresse e-mail',
    emailHint: 'C’est là que vous recevrez les invitations et les liens de connexion.',
    name: 'Votre nom',
    button: 'Ouvrir la console',
    faults: {
      email_missing: 'Saisissez votre adresse e-mail.',
      email_invalid: 'Saisissez une adresse e-mail valide, comme nom@example.com.',
      email_taken:
        'Cette adresse est celle d’une personne qui ne peut pas se connecter. Saisissez-en une autre.',
      name_missing: 'Saisissez votre nom.',
      name_too_long: 'Saisissez un nom de 100 caractères au plus.',
    },
  },
  deadStart: {
    heading: 'Ce lien ne fonctionne plus',
    sentence:
      'Il ne fonctionne qu’une fois, pendant 24 heures, et tant que le compte n’a pas de propriétaire.',
    advice: 'Redémarrez le service : il affiche un nouveau lien tant qu’il n’y a pas de propriétaire.',
  },
  notFound: {
    heading: 'Cette page n’existe pas',
    sentence: 'La console n’a pas de page à cette adresse.',
    advice: 'Vérifiez l’adresse, à commencer par le nom du compte.',
  },
  notSignedIn: {
    heading: 'Vous n’êtes pas connecté',
    sentence: 'Vous n’êtes pas connecté à la console dans ce navigateur, ou votre session a pris fin.',
    advice:
      'Rouvrez la console pour vous connecter. Si cette page réapparaît, autorisez les cookies pour ce site.',
  },
  refused: {
    heading: 'La connexion n’a pas abouti',
    sentence: 'Vous n’avez pas été connecté à la console.',
    advice: 'Réessayez. Si le problème persiste, adressez-vous à un propriétaire du compte.',
  },
  accountChoice: {
    heading: 'Console',
    label: 'Compte',
    hint: 'Le nom de votre compte tel qu’il figure dans les adresses, par exemple acme.',
    button: 'Continuer',
    invalid:
      'Saisissez le nom d’un compte : des lettres minuscules et des chiffres, séparés au besoin par des tirets.',
  },
  home: {
    heading: (account) => `Console de ${account}`,
    signedInAs: 'Connecté en tant que',
    signOut: 'Se déconnecter',
  },
}
