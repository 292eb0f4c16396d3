import type { OidcSetupTexts } from '../en/oidc-setup.js'

export const oidcSetup: OidcSetupTexts = {
  protocol: {
    heading: (product) => `Comment voulez-vous relier ${product}\u00a0?`,
    sentence: 'Il prend en charge deux protocoles. Vos utilisateurs ne verront aucune différence.',
    names: { saml: 'SAML 2.0', oidc: 'OpenID Connect' },
    reasons: {
      saml: 'Vous choisissez dans sa console qui peut se connecter, et rien n’est à renouveler pendant des années.',
      oidc: 'À choisir si vos règles internes l’exigent. Le secret du client doit être renouvelé, chez Microsoft au moins tous les deux ans.',
    },
    recommended: 'Recommandé',
    other: 'Un autre protocole\u00a0?',
  },
  client: {
    phase: 'Client',
    toClient: 'Saisir le client',
    heading: 'Saisissez les paramètres de votre client',
    sentence:
      'Ces trois valeurs nous permettent de joindre votre fournisseur et de nous authentifier auprès de lui. Rien n’est utilisé avant que vous ayez vérifié ses paramètres.',
    issuer: 'Émetteur (Issuer)',
    clientId: 'Identifiant du client (Client ID)',
    clientSecret: 'Secret du client (Client secret)',
    secretHint: 'Il est enregistré chiffré et ne sera plus jamais affiché, pas même pour vous.',
    secretKept: 'Enregistré chiffré, non affiché',
    button: 'Vérifier le fournisseur',
    stored: 'Client actuel',
    replace: 'Saisir un autre client',
    found: 'En détail, en anglais\u00a0: issuer',
    faults: {
      issuer_missing: 'Saisissez l’émetteur.',
      issuer_invalid:
        'Cet émetteur n’est pas valide. Il doit s’agir d’une adresse https d’un hôte public, sans paramètres.',
      issuer_shared:
        'Cette adresse est commune à tous les locataires. Saisissez l’émetteur de votre propre locataire, qui contient son identifiant.',
      issuer_unreachable:
        'Nous n’avons pas trouvé la configuration de votre fournisseur à cette adresse. Comparez l’émetteur à votre console, et vérifiez qu’il est joignable depuis Internet.',
      issuer_mismatch:
        'Votre fournisseur indique un autre émetteur. Saisissez-le exactement comme dans votre console, avec la barre oblique finale s’il en a une.',
      discovery_invalid: 'La configuration de votre fournisseur ne permet pas la connexion ici.',
      client_id_missing: 'Saisissez l’identifiant du client (255 caractères au plus).',
      client_secret_missing: 'Saisissez le secret du client (1\u00a0000 caractères au plus).',
      over: 'Ce client a déjà été remplacé ou enregistré. Saisissez-le à nouveau.',
    },
  },
  clientReview: {
    heading: 'Est-ce bien votre fournisseur\u00a0?',
    sentence: 'Voici ses paramètres. Comparez-les à votre console.',
    authorizationEndpoint: 'Vos utilisateurs se connectent sur',
    confirm: 'Oui, utiliser ce client',
    other: 'Saisir un autre client',
    willWait:
      'La connexion utilise déjà un client. Le nouveau est enregistré et sert à vos tests, jusqu’à ce que les personnes qui vous ont invité l’activent.',
    warnings: {
      other_host:
        'Vos utilisateurs se connectent sur un autre hôte que celui de l’émetteur. C’est habituel chez certains fournisseurs\u00a0; vérifiez que vous connaissez cet hôte.',
      issuer_shared:
        'Une autre connexion a un client du même émetteur. Ce n’est correct que si les deux concernent le même fournisseur.',
      in_clear: 'La liaison avec l’émetteur n’est pas chiffrée. À réserver aux tests.',
    },
  },
  oidc: {
    noClient: 'Saisissez d’abord les paramètres du client.',
    subject: 'Sujet (sub)',
    untested:
      'Les paramètres du client sont enregistrés. Lancez un test pour vérifier que vos utilisateurs peuvent se connecter\u00a0; il prend une minute.',
    waits: 'Elles doivent activer le client que vous avez saisi en dernier.',
    rollover:
      'Avant l’expiration de le secret de votre client, revenez par votre invitation et saisissez le nouveau. Personne ne peut se connecter avec un secret expiré.',
    values: { redirect_uri: 'URI de redirection', scopes: 'Portées (Scopes)' },
  },
}
