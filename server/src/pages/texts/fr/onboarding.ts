import type { OnboardingTexts } from '../en/onboarding.js'

export const onboarding: OnboardingTexts = {
  onboarding: {
    phases: {
      provider: 'Fournisseur',
      tutorial: 'Configuration',
      metadata: 'Métadonnées',
      test: 'Test',
      done: 'Terminé',
    },
    progress: 'Progression',
    signedInAs: 'Connecté en tant que',
    leave: 'Se déconnecter',
    allConnections: 'Toutes les connexions',
    declineSummary: 'Ce n’est pas de votre ressort\u00a0?',
    decline:
      'Dites-le, et cette invitation prend fin. Les personnes qui vous ont invité sont prévenues et peuvent inviter quelqu’un d’autre.',
    declineButton: 'Je n’en suis pas responsable',
    back: 'Retour',
    continue: 'Continuer',
  },
  invitation: {
    heading: (organization) => `Configurer l’authentification unique pour ${organization}`,
    sentence: (service) =>
      `Vous reliez le fournisseur d’identité de votre organisation à ${service}, étape par étape, afin que vos collègues s’y connectent avec le compte qu’ils ont déjà. Comptez une quinzaine de minutes\u00a0; vous pouvez vous arrêter et revenir quand vous voulez.`,
    button: (address) => `Continuer en tant que ${address}`,
    hint: 'Un code à 6 chiffres est envoyé à cette adresse.',
    notInCharge:
      'Ce n’est pas de votre ressort\u00a0? Continuez tout de même\u00a0: vous pourrez le dire après avoir saisi le code.',
    tooManyMails: (wait) => `Plusieurs codes sont déjà en route. Redemandez-en un ${wait}.`,
  },
  adminCode: {
    heading: 'Consultez vos e-mails',
    sentence: (address) =>
      `Un code à 6 chiffres est en route vers ${address}. Il fonctionne pendant 10 minutes.`,
    label: 'Code à 6 chiffres',
    button: 'Continuer',
    again: 'Recevoir un autre code',
    sent: 'Un autre code est en route. Seul le plus récent fonctionne.',
    faults: {
      missing: 'Saisissez le code.',
      wrong_code: 'Ce code ne fonctionne pas. Saisissez celui de l’e-mail le plus récent.',
      code_over: 'Ce code n’est plus valable. Demandez-en un autre.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_mails: (wait) => `Plusieurs codes sont déjà en route. Redemandez-en un ${wait}.`,
    },
  },
  deadInvitation: {
    heading: 'Cette invitation ne fonctionne plus',
    sentence: 'Elle a plus de 30 jours, a été remplacée par une plus récente, ou a pris fin.',
    advice:
      'Cherchez un e-mail plus récent, ou demandez une autre invitation aux personnes qui vous ont invité.',
  },
  notInvited: {
    heading: 'Ouvrez votre invitation',
    sentence: 'Personne n’est connecté à cette page dans ce navigateur, ou cela fait plus de 8 heures.',
    advice: 'Ouvrez à nouveau le lien de votre e-mail d’invitation. Ce que vous avez déjà fait est conservé.',
  },
  declined: {
    heading: 'Merci de nous l’avoir dit',
    sentence: 'Votre invitation a pris fin, et les personnes qui vous ont invité sont prévenues.',
    advice: 'Vous pouvez fermer cette page.',
  },
  leftOnboarding: {
    heading: 'Vous êtes déconnecté',
    sentence: 'Ce que vous avez déjà fait est conservé.',
    advice: 'Pour continuer, ouvrez à nouveau le lien de votre e-mail d’invitation.',
  },
  noSuchConnection: {
    heading: 'Cette connexion n’existe pas',
    sentence:
      'Votre invitation ne concerne aucune connexion à cette adresse, ou la connexion a été supprimée.',
    advice: 'Ouvrez à nouveau le lien de votre e-mail d’invitation.',
  },
  connections: {
    heading: 'Vos connexions',
    sentence:
      'Chacune relie un fournisseur d’identité. Commencez par le bac à sable si vous voulez d’abord tester.',
    none: 'Il n’y a pas encore de connexion. C’est aux personnes qui vous ont invité d’en créer une.',
    environments: { sandbox: 'Bac à sable', production: 'Production' },
    states: {
      not_initialized: 'Pas commencée',
      provider_type_chosen: 'En cours',
      xml_provided: 'Fournisseur relié',
    },
    open: 'Ouvrir',
  },
  provider: {
    heading: 'Quel est votre fournisseur d’identité\u00a0?',
    sentence: (service) =>
      `C’est là que vos collègues se connectent à leurs autres applications, et se connecteront à ${service}. Vous obtenez ensuite les étapes à suivre dans sa console.`,
    custom: 'Un autre, ou le vôtre',
    customOidc: 'Un autre, ou le vôtre',
    test: 'Intégré, pour tester',
    minutes: (minutes) => `environ ${minutes} minutes`,
    current: 'Choisi',
    other: 'Un autre fournisseur d’identité\u00a0?',
    restarts: 'Si vous en choisissez un autre, ses étapes reprennent au début.',
    fixed:
      'Votre fournisseur est relié, le choix est donc fixé. Pour en changer, demandez aux personnes qui vous ont invité de réinitialiser la configuration.',
  },
  tutorial: {
    step: (step, steps) => `Étape ${step} sur ${steps}`,
    minutes: (minutes) => `environ ${minutes} minutes en tout`,
    path: 'Dans les menus',
    setting: 'Réglage',
    attribute: 'Attribut',
    choose: 'Valeur',
    filledFrom: 'Rempli depuis',
    note: 'Remarque\u00a0:',
    copy: 'Copier',
    copied: 'Copié',
    spMetadata: 'Télécharger nos métadonnées',
    spCertificate: 'Télécharger notre certificat',
    spMetadataHint: 'XML, avec toutes les valeurs qu’une console peut demander',
    spCertificateHint: 'PEM, pour les signatures et le chiffrement',
    previous: 'Retour',
    next: 'Étape suivante',
    toMetadata: 'Déposer les métadonnées',
    allValues: 'Toutes les valeurs d’un coup d’œil',
    values: {
      entity_id: 'Identifiant d’entité (Entity ID)',
      acs_url: 'Adresse ACS',
      metadata_url: 'Adresse des métadonnées',
      name_id_format: 'Format du NameID',
    },
    goodToKnow: 'Bon à savoir',
    checked: (date) =>
      `Comparé pour la dernière fois à la documentation publique le ${date}. Les noms des menus sont ceux de la console en anglais.`,
  },
}
