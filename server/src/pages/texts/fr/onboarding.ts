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
      'Signalez-le, et cette invitation prendra fin. Les personnes qui vous ont invité seront prévenues et pourront inviter quelqu’un d’autre.',
    declineButton: 'Je n’en suis pas responsable',
    back: 'Retour',
    continue: 'Continuer',
  },
  invitation: {
    heading: (organization) => `Configurer l’authentification unique pour ${organization}`,
    sentence: (service) =>
      `Reliez le fournisseur d’identité de votre organisation à ${service}, afin que vos utilisateurs se connectent avec le compte qu’ils ont déjà. Comptez une quinzaine de minutes, étape par étape\u00a0; vous pouvez vous arrêter et revenir à tout moment.`,
    button: (address) => `Continuer en tant que ${address}`,
    hint: 'Nous enverrons un code à 6 chiffres à cette adresse.',
    notInCharge:
      'Ce n’est pas de votre ressort\u00a0? Continuez tout de même\u00a0: vous pourrez le signaler après avoir saisi le code.',
    tooManyMails: (wait) => `Nous vous avons déjà envoyé plusieurs codes. Réessayez ${wait}.`,
  },
  adminCode: {
    heading: 'Consultez vos e-mails',
    sentence: (address) => `Nous avons envoyé un code à 6 chiffres à ${address}. Il expire dans 10 minutes.`,
    label: 'Code à 6 chiffres',
    button: 'Continuer',
    again: 'Recevoir un nouveau code',
    sent: 'Nous vous avons envoyé un nouveau code. Seul le plus récent fonctionne.',
    faults: {
      missing: 'Saisissez le code.',
      wrong_code: 'Code incorrect. Saisissez celui de l’e-mail le plus récent.',
      code_over: 'Ce code a expiré. Demandez-en un nouveau.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_mails: (wait) => `Nous vous avons déjà envoyé plusieurs codes. Réessayez ${wait}.`,
    },
  },
  deadInvitation: {
    heading: 'Cette invitation ne fonctionne plus',
    sentence: 'Elle a plus de 30 jours, a été remplacée par une plus récente ou a été révoquée.',
    advice:
      'Cherchez un e-mail plus récent, ou demandez une nouvelle invitation aux personnes qui vous ont invité.',
  },
  notInvited: {
    heading: 'Ouvrez votre invitation',
    sentence:
      'Vous n’êtes pas connecté à cette page dans ce navigateur, ou vous l’êtes depuis plus de 8 heures.',
    advice: 'Ouvrez à nouveau le lien de votre e-mail d’invitation. Votre progression est enregistrée.',
  },
  declined: {
    heading: 'Merci de nous avoir prévenus',
    sentence: 'Votre invitation a pris fin, et nous avons prévenu les personnes qui vous ont invité.',
    advice: 'Vous pouvez fermer cette page.',
  },
  leftOnboarding: {
    heading: 'Vous êtes déconnecté',
    sentence: 'Votre progression est enregistrée.',
    advice: 'Pour continuer, ouvrez à nouveau le lien de votre e-mail d’invitation.',
  },
  noSuchConnection: {
    heading: 'Connexion introuvable',
    sentence:
      'Votre invitation ne concerne aucune connexion à cette adresse, ou la connexion a été supprimée.',
    advice: 'Ouvrez à nouveau le lien de votre e-mail d’invitation.',
  },
  connections: {
    heading: 'Vos connexions',
    sentence:
      'Chacune relie un fournisseur d’identité. Commencez par le bac à sable si vous voulez d’abord tester.',
    none: 'Il n’y a pas encore de connexion. Demandez aux personnes qui vous ont invité d’en créer une.',
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
      `Vos utilisateurs s’y connectent à leurs autres applications, et bientôt à ${service}. Nous vous guiderons dans sa console.`,
    custom: 'Un autre, ou le vôtre',
    customOidc: 'Un autre, ou le vôtre',
    test: 'Intégré, pour tester',
    minutes: (minutes) => `environ ${minutes} minutes`,
    current: 'Choisi',
    other: 'Un autre fournisseur d’identité\u00a0?',
    restarts: 'Si vous en choisissez un autre, vous reprendrez à sa première étape.',
    fixed:
      'Votre fournisseur est relié et ne peut plus être changé ici. Pour en changer, demandez aux personnes qui vous ont invité de réinitialiser la configuration.',
  },
  tutorial: {
    step: (step, steps) => `Étape ${step} sur ${steps}`,
    minutes: (minutes) => `environ ${minutes} minutes au total`,
    path: 'Dans les menus',
    setting: 'Réglage',
    attribute: 'Attribut',
    choose: 'Valeur',
    filledFrom: 'Rempli avec',
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
      `Vérifié le ${date} d’après la documentation publique. Les noms des menus sont ceux de la console en anglais.`,
  },
}
