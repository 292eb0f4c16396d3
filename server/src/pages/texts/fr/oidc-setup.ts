import type { OidcSetupTexts } from '../en/oidc-setup.js'

export const oidcSetup: OidcSetupTexts = {
  protocol: {
    heading: (product) => `Comment relier ${product}\u00a0?`,
    sentence:
      'Il parle deux langages pour la connexion. Vos collègues ne voient pas de différence entre les deux.',
    names: { saml: 'SAML 2.0', oidc: 'OpenID Connect' },
    reasons: {
      saml: 'Vous choisissez dans sa console qui peut se connecter, et rien n’est à renouveler pendant des années.',
      oidc: 'Utile si vos propres règles l’exigent. Un secret client est à renouveler, au plus tard tous les deux ans chez Microsoft.',
    },
    recommended: 'Recommandé',
    other: 'Un autre protocole\u00a0?',
  },
  client: {
    phase: 'Client',
    toClient: 'Saisir le client',
    heading: 'Saisissez le client de votre fournisseur',
    sentence:
      'Ces trois valeurs nous disent à qui demander, et prouvent à votre fournisseur que c’est nous. Rien n’est utilisé avant que vous ayez vu ce que votre fournisseur dit de lui-même.',
    issuer: 'Émetteur (Issuer)',
    clientId: 'Identifiant du client (Client ID)',
    clientSecret: 'Secret du client (Client secret)',
    secretHint: 'Il est enregistré chiffré et n’est montré à personne, pas même à vous.',
    secretKept: 'Enregistré chiffré, et non montré',
    button: 'Interroger le fournisseur',
    stored: 'Client saisi',
    replace: 'En saisir un autre',
    found: 'En détail, en anglais\u00a0: issuer',
    faults: {
      issuer_missing: 'Saisissez l’émetteur.',
      issuer_invalid:
        'Cela ne peut pas être l’émetteur ici. C’est une adresse https d’un hôte public, sans point d’interrogation.',
      issuer_shared:
        'Cette adresse vaut pour tous les locataires à la fois. Saisissez l’émetteur de votre propre locataire, avec son identifiant.',
      issuer_unreachable:
        'Votre fournisseur ne se décrit pas à cette adresse. Comparez l’émetteur à votre console, et vérifiez qu’il est joignable depuis l’internet.',
      issuer_mismatch:
        'Votre fournisseur se nomme autrement. Saisissez l’émetteur à la lettre, avec une barre oblique à la fin s’il en a une.',
      discovery_invalid:
        'Ce que votre fournisseur dit de lui-même ne permet pas de s’en servir ici pour la connexion.',
      client_id_missing: 'Saisissez l’identifiant du client, 255 caractères au plus.',
      client_secret_missing: 'Saisissez le secret du client, 1\u00a0000 caractères au plus.',
      over: 'Ce client a déjà été remplacé ou enregistré. Saisissez-le à nouveau.',
    },
  },
  clientReview: {
    heading: 'Est-ce bien votre fournisseur\u00a0?',
    sentence: 'Voici ce qu’il dit de lui-même. Comparez-le à votre console.',
    authorizationEndpoint: 'Vos collègues se connectent sur',
    confirm: 'Oui, utiliser ce client',
    other: 'En saisir un autre',
    willWait:
      'La connexion a déjà un client en service. Celui-ci est enregistré à côté et sert à vos tests, jusqu’à ce que les personnes qui vous ont invité le mettent en service.',
    warnings: {
      other_host:
        'Vos collègues se connectent sur un autre hôte que celui de l’émetteur. C’est habituel chez certains fournisseurs\u00a0; vérifiez que vous connaissez cet hôte.',
      issuer_shared:
        'Une autre connexion a un client du même émetteur. Ce n’est correct que si les deux concernent le même fournisseur.',
      in_clear: 'L’émetteur est joint sans chiffrement, ce qui ne convient qu’à des essais.',
    },
  },
  oidc: {
    noClient: 'Saisissez d’abord le client\u00a0: sans lui, il n’y a personne à qui demander.',
    subject: 'Sujet (sub)',
    untested:
      'Le client de votre fournisseur est enregistré. Seul un test montre si vos collègues peuvent se connecter\u00a0; il prend une minute.',
    waits: 'C’est à elles de mettre en service le client que vous avez saisi en dernier.',
    rollover:
      'Avant la fin de votre secret client, revenez par votre invitation et saisissez le nouveau. Personne ne peut se connecter avec un secret expiré.',
    values: { redirect_uri: 'URI de redirection', scopes: 'Portées (Scopes)' },
  },
}
