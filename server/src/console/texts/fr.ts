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
  noRole: {
    heading: 'Vous n’avez aucun rôle ici',
    sentence: 'Vous êtes connecté, mais vous n’avez aucun rôle dans la console de ce compte.',
    advice: 'Demandez-en un à un propriétaire du compte.',
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
    switchTo: (environment) => `Basculer vers ${environment}`,
    signedInAs: 'Connecté en tant que',
    signOut: 'Se déconnecter',
    language: 'Langue',
    people: 'Trouver une personne',
    search: 'Chercher une adresse, une organisation ou un identifiant',
    searchButton: 'Rechercher',
    groups: {
      customers: 'Clients',
      integration: 'Intégration',
      activity: 'Activité',
      account: 'Compte',
    },
  },
  overview: {
    first: 'Premiers pas',
    organizations: 'Créez une organisation pour votre premier client',
    applications: 'Enregistrez l’application à laquelle ses utilisateurs se connectent',
    keys: 'Créez une clé d’API pour votre serveur',
    example: 'Connectez-vous pour la première fois : le guide',
    attention: 'À surveiller',
    allWell: 'Rien à signaler.',
    tiles: {
      webhooks_failing: 'webhooks dont le dernier envoi a échoué',
      deliveries_lost: 'envois perdus ces dernières 24 heures',
      certificates_ending: 'connexions SSO dont le certificat expire dans les 30 jours, ou a expiré',
      sso_connections_failing: 'connexions SSO dont les trois dernières authentifications ont échoué',
      directories_refusing: 'annuaires dont une requête a été refusée ces dernières 24 heures',
      messages_failed: 'e-mails et SMS qui n’ont pas pu partir',
      jobs_failed: 'tâches définitivement échouées',
      jobs_overdue: 'tâches en retard',
      api_keys_ending: 'clés d’API qui expirent dans les 14 jours',
      api_keys_unused: 'clés d’API inutilisées depuis 90 jours',
    },
    signIns: (days) => `Connexions des ${days} derniers jours`,
    sums: (passed, failed) => `${passed} réussies, ${failed} échouées.`,
    chart: 'Connexions par jour : réussies en bas, échouées au-dessus',
    asOf: 'Situation au',
    notCounted: 'Elles sont comptées toutes les dix minutes, et ne l’ont pas encore été.',
    asTable: 'Sous forme de tableau',
    day: 'Jour',
    passed: 'Réussies',
    failed: 'Échouées',
    reasons: 'Ce qui a le plus échoué',
  },
}
