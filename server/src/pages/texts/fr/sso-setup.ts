import type { SsoSetupTexts } from '../en/sso-setup.js'
import { checkTexts } from './sso-checks.js'

export const ssoSetup: SsoSetupTexts = {
  upload: {
    heading: 'Déposez les métadonnées de votre fournisseur d’identité',
    sentence:
      'Elles nous indiquent où envoyer vos utilisateurs et à quelles signatures nous fier. Rien n’est utilisé avant que vous les ayez vérifiées.',
    where: 'Où les trouver\u00a0:',
    file: 'Fichier de métadonnées',
    fileHint: (name) => `Un fichier XML, le plus souvent nommé ${name}.`,
    or: 'ou',
    paste: 'Collez le XML',
    button: 'Vérifier les métadonnées',
    stored: 'Métadonnées actuelles',
    replace: 'Les remplacer',
    faults: {
      not_xml:
        'Ce n’est pas un document XML bien formé. Déposez le fichier tel que votre fournisseur d’identité l’exporte.',
      too_large:
        'C’est trop volumineux\u00a0: les métadonnées d’un fournisseur d’identité font au plus 512\u00a0000 caractères.',
      web_page:
        'C’est une page web. Ouvrez l’adresse des métadonnées dans un navigateur et enregistrez la page dans un fichier XML.',
      unusual_xml:
        'Les métadonnées ne doivent contenir ni type de document, ni CDATA, ni instruction de traitement. Exportez-les à nouveau.',
      not_metadata:
        'Ce ne sont pas les métadonnées d’un fournisseur d’identité SAML\u00a0: il n’y a pas d’IDPSSODescriptor. Exportez-les à nouveau.',
      service_provider:
        'Ce sont les métadonnées d’un fournisseur de services, peut-être les nôtres. Déposez celles de votre fournisseur d’identité.',
      several_identity_providers:
        'Ces métadonnées énumèrent plusieurs fournisseurs d’identité. Déposez un fichier qui ne contient que l’EntityDescriptor du vôtre.',
      not_saml_2:
        'Ces métadonnées ne concernent pas SAML 2.0. Choisissez SAML 2.0 à l’endroit où vous exportez les métadonnées.',
      entity_id: 'L’EntityDescriptor doit avoir un entityID de 1 à 1\u00a0024 caractères.',
      no_certificate:
        'Les métadonnées ne contiennent pas de certificat de signature. Exportez-les avec le certificat, comme X509Certificate d’un KeyDescriptor.',
      too_many_certificates:
        'Les métadonnées contiennent plus de dix certificats de signature. Retirez ceux qui ont expiré.',
      certificate_unreadable:
        'Un certificat de signature est illisible. Ce doit être un certificat X.509, au format DER en base64. Exportez les métadonnées à nouveau.',
      key_not_rsa:
        'Le fournisseur d’identité signe avec une clé qui n’est pas RSA. Choisissez un certificat de signature à clé RSA de 2\u00a0048 bits ou plus.',
      key_too_short:
        'Une clé de signature fait moins de 2\u00a0048 bits. Remplacez-la par une clé RSA de 2\u00a0048 bits ou plus, et exportez les métadonnées à nouveau.',
      no_address:
        'Les métadonnées ne contiennent pas de SingleSignOnService avec la liaison HTTP-Redirect ou HTTP-POST. Activez l’une des deux.',
      address_not_https:
        'L’adresse du SingleSignOnService doit commencer par https, faire au plus 2\u00a0000 caractères, et n’avoir ni nom d’utilisateur ni fragment.',
      only_certificate:
        'Ce n’est qu’un certificat. Déposez les métadonnées, un fichier XML qui contient le certificat.',
      missing: 'Choisissez un fichier, ou collez le XML.',
      empty:
        'Ce fichier est vide. Exportez à nouveau les métadonnées et vérifiez que le fichier a un contenu.',
      over: 'Ces métadonnées ont déjà été remplacées ou enregistrées. Déposez-les à nouveau.',
    },
  },
  review: {
    heading: 'Est-ce bien votre fournisseur d’identité\u00a0?',
    sentence: 'Voici ce que contient le fichier. Comparez ces informations à votre console.',
    entityId: 'Identifiant d’entité (Entity ID)',
    host: 'Vos utilisateurs se connectent sur',
    certificate: (index) => `Certificat de signature ${index}`,
    subject: 'Nom',
    fingerprint: 'Empreinte SHA-256',
    expires: 'Valable jusqu’au',
    validUntil: 'Fichier valable jusqu’au',
    confirm: 'Oui, utiliser ces métadonnées',
    other: 'Choisir un autre fichier',
    inUse: 'Utilisées',
    waits: 'Enregistrées et utilisées pour les tests. Les personnes qui vous ont invité doivent les activer.',
    willWait:
      'La connexion utilise déjà des métadonnées. Les nouvelles sont enregistrées et servent à vos tests, jusqu’à ce que les personnes qui vous ont invité les activent.',
    warnings: {
      metadata_expired: 'Le fichier a dépassé sa date de validité. Exportez-le à nouveau si vous le pouvez.',
      certificate_expired:
        'Un certificat de signature a expiré. Il est accepté quand même, mais votre fournisseur d’identité cessera peut-être de l’utiliser.',
      certificate_expires_soon:
        'Un certificat de signature expire dans les 30 jours. Déposez les métadonnées à nouveau dès qu’il y en a un nouveau.',
      entity_id_shared:
        'Une autre connexion a des métadonnées avec le même identifiant d’entité. Ce n’est correct que si les deux concernent le même fournisseur d’identité.',
    },
  },
  test: {
    heading: 'Testez la connexion',
    sentence:
      'Nous vous envoyons à votre fournisseur d’identité pour vous y connecter, puis vous ramenons ici. Vous verrez alors chaque vérification effectuée.',
    dryRun: 'Ce n’est qu’un test\u00a0: aucun compte n’est créé, et personne n’est connecté.',
    button: 'Lancer le test',
    again: 'Tester à nouveau',
    skip: 'Continuer sans test',
    earlier: 'Tests précédents',
    outcomes: { arrived: 'Inachevé', success: 'Réussi', failed: 'Échoué' },
    toIdentityProvider: 'Continuer vers votre fournisseur d’identité',
    noMetadata: 'Déposez d’abord les métadonnées.',
  },
  testResult: {
    headings: {
      arrived: 'Le test n’est pas terminé',
      success: 'Le test est réussi',
      failed: 'Le test a échoué',
    },
    success: 'Votre fournisseur d’identité est correctement configuré.',
    failed: 'La réponse de votre fournisseur d’identité n’a pas satisfait à cette vérification\u00a0:',
    arrived: 'Nous avons reçu la réponse, mais votre navigateur n’est pas revenu. Relancez le test.',
    demanded: 'Exigence',
    expected: 'Attendu',
    received: 'Reçu',
    whoMends: 'Qui peut corriger',
    menders: {
      identity_provider: 'Vous, dans la console de votre fournisseur d’identité.',
      operator: 'Les personnes qui vous ont invité, ou vous si les métadonnées sont en cause.',
      user: 'La personne qui se connecte.',
      nobody: 'Personne\u00a0: recommencez.',
    },
    how: 'Comment corriger',
    checks: (count) => `Les ${count} vérifications, dans l’ordre`,
    passed: 'Réussie',
    refused: 'Échouée',
    person: 'Utilisateur qui se connecterait',
    nameId: 'NameID',
    email: 'Adresse e-mail',
    givenName: 'Prénom',
    familyName: 'Nom de famille',
    nothing: 'Rien',
    attributes: 'Attributs reçus',
    noAttributes: 'Aucun attribut reçu.',
    name: 'Nom',
    value: 'Valeur',
    reference: (requestId) => `Référence\u00a0: ${requestId}`,
  },
  done: {
    heading: 'Tout est prêt',
    sentence: 'Votre fournisseur d’identité est relié, et un test a réussi.',
    untested: {
      heading: 'Enregistré, pas encore testé',
      sentence:
        'Les métadonnées de votre fournisseur d’identité sont enregistrées. Lancez un test pour vérifier que vos utilisateurs peuvent se connecter\u00a0; il prend une minute.',
    },
    next: 'La suite',
    steps: {
      told: 'Les personnes qui vous ont invité voient que vous avez terminé, ainsi que les résultats de vos tests.',
      waits: 'Elles doivent activer les métadonnées que vous avez déposées en dernier.',
      active:
        'La connexion est active\u00a0: vos utilisateurs se connectent avec votre fournisseur d’identité.',
      inactive: 'Elles activent la connexion\u00a0; dès lors, vos utilisateurs peuvent se connecter.',
    },
    rollover:
      'Quand votre fournisseur d’identité change de certificat de signature, revenez par votre invitation et déposez les métadonnées à nouveau\u00a0: l’ancien et le nouveau fonctionnent ensemble.',
    look: 'Tout revoir',
  },
  checkTexts,
}
