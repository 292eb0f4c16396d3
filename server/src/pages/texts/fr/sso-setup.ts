import type { SsoSetupTexts } from '../en/sso-setup.js'
import { checkTexts } from './sso-checks.js'

export const ssoSetup: SsoSetupTexts = {
  upload: {
    heading: 'Déposez les métadonnées de votre fournisseur d’identité',
    sentence:
      'Elles nous disent où envoyer vos collègues et à quelles signatures nous fier. Rien n’est utilisé avant que vous les ayez vérifiées.',
    where: 'Où les trouver\u00a0:',
    file: 'Fichier de métadonnées',
    fileHint: (name) => `Un fichier XML, le plus souvent nommé ${name}.`,
    or: 'ou',
    paste: 'Collez le XML',
    button: 'Lire les métadonnées',
    stored: 'Métadonnées déposées',
    replace: 'Les remplacer',
    faults: {
      not_xml:
        'Ce n’est pas un document XML bien formé. Déposez le fichier tel que le donne le fournisseur d’identité.',
      too_large:
        'C’est trop volumineux\u00a0: les métadonnées d’un fournisseur d’identité font au plus 512\u00a0000 caractères.',
      web_page:
        'C’est une page web. Ouvrez l’adresse des métadonnées dans un navigateur et enregistrez ce qu’il affiche en fichier XML.',
      unusual_xml:
        'Des métadonnées ne contiennent ni type de document, ni CDATA, ni instruction de traitement. Exportez-les à nouveau.',
      not_metadata:
        'Ce ne sont pas les métadonnées d’un fournisseur d’identité SAML\u00a0: il n’y a pas d’IDPSSODescriptor. Exportez-les à nouveau.',
      service_provider:
        'Ce sont les métadonnées d’un fournisseur de services, peut-être les nôtres. Déposez celles du fournisseur d’identité.',
      several_identity_providers:
        'Ces métadonnées énumèrent plusieurs fournisseurs d’identité. Déposez un fichier avec l’EntityDescriptor du vôtre seulement.',
      not_saml_2:
        'Ce fournisseur d’identité ne parle pas SAML 2.0. Choisissez SAML 2.0 là où vous exportez les métadonnées.',
      entity_id: 'L’EntityDescriptor doit avoir un entityID de 1 à 1\u00a0024 caractères.',
      no_certificate:
        'Les métadonnées n’ont pas de certificat de signature. Exportez-les avec le certificat, en X509Certificate d’un KeyDescriptor.',
      too_many_certificates:
        'Les métadonnées ont plus de dix certificats de signature. Retirez ceux qui ont expiré.',
      certificate_unreadable:
        'Un certificat de signature est illisible. Il faut un certificat X.509, en DER et en base64. Exportez les métadonnées à nouveau.',
      key_not_rsa:
        'Le fournisseur d’identité signe avec une clé qui n’est pas RSA. Choisissez un certificat de signature à clé RSA de 2\u00a0048 bits ou plus.',
      key_too_short:
        'Une clé de signature fait moins de 2\u00a0048 bits. Remplacez-la par une clé RSA de 2\u00a0048 bits ou plus, et exportez les métadonnées à nouveau.',
      no_address:
        'Les métadonnées n’ont pas de SingleSignOnService avec la liaison HTTP-Redirect ou HTTP-POST. Activez l’une des deux.',
      address_not_https:
        'L’adresse du SingleSignOnService doit commencer par https, faire au plus 2\u00a0000 caractères, et n’avoir ni nom d’utilisateur ni fragment.',
      only_certificate:
        'C’est un certificat seul. Déposez les métadonnées, un fichier XML qui contient aussi le certificat.',
      missing: 'Choisissez un fichier, ou collez le XML.',
      empty:
        'Ce fichier est vide. Exportez à nouveau les métadonnées et vérifiez que le fichier a un contenu.',
      over: 'Ces métadonnées ont déjà été remplacées ou enregistrées. Déposez-les à nouveau.',
    },
  },
  review: {
    heading: 'Est-ce bien votre fournisseur d’identité\u00a0?',
    sentence: 'Voici ce que nous lisons dans le fichier. Comparez-le à votre console.',
    entityId: 'Identifiant d’entité (Entity ID)',
    host: 'Vos collègues se connectent sur',
    certificate: (index) => `Certificat de signature ${index}`,
    subject: 'Nom',
    fingerprint: 'Empreinte SHA-256',
    expires: 'Valable jusqu’au',
    validUntil: 'D’après le fichier, valable jusqu’au',
    confirm: 'Oui, utiliser ces métadonnées',
    other: 'Choisir un autre fichier',
    inUse: 'Utilisées',
    waits:
      'Enregistrées, et utilisées pour les tests. C’est aux personnes qui vous ont invité de les mettre en service.',
    willWait:
      'La connexion a déjà des métadonnées en service. Celles-ci sont enregistrées à côté et servent à vos tests, jusqu’à ce que les personnes qui vous ont invité les mettent en service.',
    warnings: {
      metadata_expired: 'Le fichier dit qu’il n’est plus valable. Exportez-le à nouveau si vous le pouvez.',
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
      'Vous êtes dirigé vers votre fournisseur d’identité, vous vous y connectez et revenez ici. Vous voyez ensuite chaque point que nous avons vérifié.',
    dryRun: 'C’est un test à blanc\u00a0: aucun compte n’est créé, et personne n’est connecté.',
    button: 'Commencer le test',
    again: 'Tester à nouveau',
    skip: 'Continuer sans test',
    earlier: 'Tests précédents',
    outcomes: { arrived: 'Inachevé', success: 'Réussi', failed: 'Échoué' },
    toIdentityProvider: 'Continuer vers votre fournisseur d’identité',
    noMetadata: 'Déposez d’abord les métadonnées\u00a0: sans elles, il n’y a personne à qui demander.',
  },
  testResult: {
    headings: {
      arrived: 'Le test n’est pas terminé',
      success: 'Le test est réussi',
      failed: 'Le test a échoué',
    },
    success: 'Votre fournisseur d’identité et nous nous comprenons.',
    failed: 'La réponse de votre fournisseur d’identité a été refusée par cette vérification\u00a0:',
    arrived: 'La réponse est arrivée, mais le navigateur n’est pas revenu avec elle. Recommencez le test.',
    demanded: 'Ce qui doit être vrai',
    expected: 'Attendu',
    received: 'Reçu',
    whoMends: 'Qui peut y remédier',
    menders: {
      identity_provider: 'Vous, dans la console de votre fournisseur d’identité.',
      operator: 'Les personnes qui vous ont invité\u00a0; ou vous, s’il s’agit des métadonnées.',
      user: 'La personne qui se connecte.',
      nobody: 'Personne\u00a0: recommencez.',
    },
    how: 'Comment',
    checks: (count) => `Les ${count} vérifications, dans leur ordre`,
    passed: 'Réussie',
    refused: 'Échouée',
    person: 'Qui se connecterait',
    nameId: 'NameID',
    email: 'Adresse e-mail',
    givenName: 'Prénom',
    familyName: 'Nom de famille',
    nothing: 'Rien',
    attributes: 'Attributs reçus',
    noAttributes: 'Aucun attribut n’est arrivé.',
    name: 'Nom',
    value: 'Valeur',
    reference: (requestId) => `Référence\u00a0: ${requestId}`,
  },
  done: {
    heading: 'C’est tout de votre côté',
    sentence: 'Votre fournisseur d’identité est relié, et un test a réussi. Merci.',
    untested: {
      heading: 'Enregistré, pas encore testé',
      sentence:
        'Les métadonnées de votre fournisseur d’identité sont enregistrées. Seul un test montre si vos collègues peuvent se connecter\u00a0; il prend une minute.',
    },
    next: 'La suite',
    steps: {
      told: 'Les personnes qui vous ont invité voient que vous avez terminé, et ce que vos tests ont montré.',
      waits: 'C’est à elles de mettre en service les métadonnées que vous avez déposées en dernier.',
      active:
        'La connexion est activée\u00a0: vos collègues se connectent auprès de votre fournisseur d’identité.',
      inactive: 'Elles activent la connexion\u00a0; dès lors, vos collègues peuvent se connecter.',
    },
    rollover:
      'Quand votre fournisseur d’identité change de certificat de signature, revenez par votre invitation et déposez les métadonnées à nouveau\u00a0: l’ancien et le nouveau fonctionnent ensemble.',
    look: 'Tout revoir',
  },
  checkTexts,
}
