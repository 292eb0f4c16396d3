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
  otherForm: {
    heading: 'Ce formulaire n’a pas été accepté',
    sentence: 'Il vient d’un autre navigateur, ou d’une page qui n’est plus à jour.',
    advice: 'Rouvrez la page du formulaire, puis envoyez-le de là.',
  },
  tooMany: {
    heading: 'Trop de requêtes',
    sentence: 'Vous avez envoyé plus de requêtes que la console n’en accepte en une minute.',
    advice: 'Patientez une minute, puis réessayez.',
  },
  frame: {
    skip: 'Aller au contenu',
    navigation: 'Menu',
    way: 'Vous êtes ici',
    home: 'Accueil',
    environments: { production: 'PRODUCTION', sandbox: 'SANDBOX' },
    switchTo: (environment) => `Passer à ${environment}`,
    signedInAs: 'Connecté en tant que',
    signOut: 'Se déconnecter',
    language: 'Langue',
    people: 'Trouver une personne',
  },
  overview: {
    first: 'Premiers pas',
    organizations: 'Créez une organisation pour votre premier client',
    applications: 'Enregistrez l’application à laquelle ses utilisateurs se connectent',
    keys: 'Créez une clé d’API pour votre serveur',
    example: 'Connectez-vous pour la première fois : le guide',
  },
}
