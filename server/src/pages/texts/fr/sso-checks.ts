import type { SsoSetupTexts } from '../en/sso-setup.js'

/** The checks of the contract in French. */
export const checkTexts: SsoSetupTexts['checkTexts'] = {
  encoding: {
    demands: 'SAMLResponse est en base64 et fait au plus 256\u00a0ko.',
    remedy:
      'Envoyer la réponse par la liaison HTTP-POST, une seule fois, et sans chiffrer autre chose que l’assertion.',
  },
  document: {
    demands:
      'Le document est du XML bien formé, sans type de document, commentaire, instruction de traitement ni CDATA, dans la limite de 112\u00a0ko (sans les parties chiffrées), de 3\u00a0000 éléments de 200 noms, de 40 niveaux, de 20 attributs par élément et 10\u00a0000 en tout, et de 100 espaces de noms de 256 caractères autour d’un élément.',
    remedy:
      'Aucun produit n’envoie rien de tel dans une réponse\u00a0: voir ce qui se trouve entre le fournisseur d’identité et nous, et ce qui l’a réécrite.',
  },
  response: {
    demands: 'C’est une samlp:Response de version 2.0, avec exactement une assertion à sa place.',
    remedy: 'Envoyer une assertion par réponse, en clair ou chiffrée, et rien d’autre.',
  },
  status: {
    demands: 'Le fournisseur d’identité dit Success.',
    remedy:
      'Le fournisseur d’identité a refusé la connexion\u00a0: y attribuer l’application à l’utilisateur, et consulter son propre journal.',
  },
  signature_form: {
    demands:
      'L’assertion est signée, ou la réponse autour d’elle\u00a0; chaque signature se trouve dans ce qu’elle couvre, le nomme comme son unique référence, et est faite par RSA avec SHA-256, SHA-384 ou SHA-512 sur la forme canonique exclusive.',
    remedy:
      'Faire signer l’assertion, ou la réponse, par RSA-SHA256 avec SHA-256 comme empreinte. Ce qui ne connaît que SHA-1 a besoin de allow_sha1 sur la connexion.',
  },
  encryption_form: {
    demands:
      'Une assertion chiffrée l’est par AES-GCM, ou par AES-CBC dans une réponse elle-même signée\u00a0; sa clé par RSA-OAEP.',
    remedy: 'Choisir AES-256-GCM, ou faire signer la réponse en plus de l’assertion.',
  },
  response_issuer: {
    demands: 'La réponse, si elle nomme un émetteur, nomme l’identifiant d’entité des métadonnées.',
    remedy:
      'Déposer les métadonnées du fournisseur d’identité voulu\u00a0; son identifiant d’entité est ce qu’il envoie comme Issuer.',
  },
  destination: {
    demands: 'Destination est l’adresse ACS de cette connexion\u00a0; une réponse signée en a une.',
    remedy:
      'Saisir l’adresse ACS de cette connexion, à la lettre, comme adresse d’authentification unique et comme destination.',
  },
  signature: {
    demands:
      'L’assertion se déchiffre avec notre clé, et elle, ou la réponse qui l’entoure, est signée par une clé des métadonnées.',
    remedy:
      'Déposer les métadonnées actuelles\u00a0: le certificat de signature a peut-être changé. Chiffrer avec le certificat de nos métadonnées, ou pas du tout.',
  },
  assertion: {
    demands:
      'Ce qui est signé est une saml:Assertion de version 2.0, de la même forme qu’avant le déchiffrement.',
    remedy:
      'Signer et chiffrer avec les algorithmes que nomment les vérifications signature_form et encryption_form.',
  },
  issuer: {
    demands: 'L’assertion est émise sous l’identifiant d’entité des métadonnées.',
    remedy: 'Déposer les métadonnées du fournisseur d’identité qui l’a émise.',
  },
  issued_at: {
    demands:
      'IssueInstant date de moins d’une heure et n’est pas dans le futur, à deux minutes près pour les horloges.',
    remedy: 'Régler l’horloge du fournisseur d’identité par NTP.',
  },
  conditions: {
    demands:
      'L’instant présent est entre NotBefore et NotOnOrAfter des conditions, à deux minutes près pour les horloges.',
    remedy:
      'Régler l’horloge du fournisseur d’identité par NTP, et donner cinq minutes de vie aux assertions.',
  },
  audience: {
    demands: 'Chaque AudienceRestriction nomme l’identifiant d’entité de cette connexion.',
    remedy:
      'Saisir l’identifiant d’entité de cette connexion, à la lettre, comme audience ou identifiant du fournisseur de services.',
  },
  recipient: {
    demands:
      'Une confirmation bearer a l’adresse ACS de cette connexion comme Recipient, un NotOnOrAfter qui n’est pas passé, et pas de NotBefore.',
    remedy: 'Saisir l’adresse ACS de cette connexion, à la lettre, comme recipient.',
  },
  subject: {
    demands: 'Le sujet a un NameID de 512 caractères au plus, et il y a un AuthnStatement.',
    remedy: 'Envoyer un NameID, de préférence au format emailAddress ou persistent.',
  },
  in_response_to: {
    demands: 'La réponse et l’assertion signée répondent à la même requête, ou ni l’une ni l’autre à aucune.',
    remedy: 'Quelqu’un a modifié la réponse en chemin. Se connecter à nouveau.',
  },
  unsolicited: {
    demands: 'Une réponse qui ne répond à aucune requête est acceptée, selon idp_initiated de la connexion.',
    remedy:
      'Mettre idp_initiated à bounce, ou faire commencer les utilisateurs par l’application plutôt que par le portail du fournisseur d’identité.',
  },
  request: {
    demands:
      'La requête à laquelle elle répond a été faite pour cette connexion il y a dix minutes au plus, et est ouverte.',
    remedy:
      'Se connecter à nouveau\u00a0; la page du fournisseur d’identité est restée ouverte trop longtemps, ou sa réponse a été envoyée deux fois.',
  },
  browser: {
    demands: 'Le navigateur est celui qui a commencé la connexion.',
    remedy: 'Terminer dans le navigateur où l’on a commencé, avec les cookies autorisés.',
  },
  authenticated_at: {
    demands:
      'Là où l’application exige une nouvelle connexion (prompt=login ou max_age), AuthnInstant, ou auth_time du jeton d’identité, n’est pas antérieur à sa demande, à deux minutes près pour les horloges.',
    remedy:
      'Faire en sorte que le fournisseur d’identité respecte ForceAuthn, ou max_age en envoyant auth_time, et régler son horloge par NTP.',
  },
  replay: {
    demands: 'L’assertion n’a pas encore servi.',
    remedy: 'Se connecter à nouveau\u00a0; une assertion ne fonctionne qu’une fois.',
  },
  oidc_state: {
    demands:
      'state est celui d’une connexion que cette connexion SSO a commencée il y a dix minutes au plus, et qui est ouverte.',
    remedy:
      'Se connecter à nouveau\u00a0; la page du fournisseur est restée ouverte trop longtemps, ou a répondu deux fois.',
  },
  oidc_browser: {
    demands: 'Le navigateur est celui qui a commencé la connexion.',
    remedy: 'Terminer dans le navigateur où la connexion a commencé, avec les cookies autorisés.',
  },
  oidc_answer: {
    demands: 'Le fournisseur renvoie le navigateur avec un code, et non avec une erreur.',
    remedy:
      'Le fournisseur a refusé la connexion\u00a0: y attribuer l’application à l’utilisateur, autoriser l’URI de redirection de cette connexion, et consulter son propre journal.',
  },
  oidc_discovery: {
    demands:
      'Le document de découverte de l’émetteur peut être lu, en 5 secondes et 256\u00a0ko au plus, et nomme l’émetteur lui-même.',
    remedy: 'Comparer issuer, à la lettre, avec le membre issuer de son /.well-known/openid-configuration.',
  },
  oidc_issuer_parameter: {
    demands: 'iss de la réponse, si le fournisseur en envoie un, est l’émetteur (RFC 9207).',
    remedy: 'Un autre fournisseur a répondu à la place de celui-ci. Se connecter à nouveau.',
  },
  oidc_token: {
    demands:
      'Le fournisseur échange le code contre des jetons, avec notre client, son secret et notre code_verifier.',
    remedy: 'Saisir un secret de client valable\u00a0; chez certains fournisseurs, ils expirent.',
  },
  oidc_id_token: {
    demands:
      'Le jeton d’identité est signé par une clé du fournisseur, avec un algorithme asymétrique, et il est de notre émetteur, de notre client, de notre nonce et de maintenant, à deux minutes près.',
    remedy:
      'Faire signer les jetons d’identité par RS256 ou ES256, et régler l’horloge du fournisseur par NTP.',
  },
  oidc_token_type: {
    demands:
      'typ, s’il y en a un dans l’en-tête du jeton d’identité, est JWT\u00a0: un jeton de déconnexion ou d’accès n’en est pas un.',
    remedy: 'Envoyer comme id_token un jeton d’identité, avec le typ JWT ou sans typ.',
  },
  oidc_authorized_party: {
    demands:
      'azp du jeton d’identité, s’il y en a un, est notre client (OpenID Connect Core, section 3.1.3.7).',
    remedy:
      'Le jeton a été fait pour un autre client\u00a0: le faire émettre par le fournisseur pour celui de la connexion.',
  },
  oidc_issued_at: {
    demands:
      'iat du jeton d’identité n’est pas plus ancien que les dix minutes que peut durer une connexion, ni dans le futur, à deux minutes près.',
    remedy:
      'Régler l’horloge du fournisseur par NTP, et lui faire produire un jeton d’identité à chaque connexion.',
  },
  oidc_subject: {
    demands: 'Le jeton d’identité a un sub de 255 caractères au plus.',
    remedy: 'Envoyer sub comme le dit la section 2 d’OpenID Connect Core.',
  },
  oidc_hosted_domain: {
    demands: 'Pour Google\u00a0: hd est un domaine de la connexion ou de l’organisation.',
    remedy:
      'Ajouter le domaine à email_domains de la connexion. Un compte Google privé n’en a pas, et ne connecte personne.',
  },
  connection_active: {
    demands: 'La connexion est active.',
    remedy: 'Activer la connexion.',
  },
  email: {
    demands:
      'L’assertion a une adresse e-mail\u00a0: dans un attribut au nom connu, ou comme NameID. Pour OpenID Connect\u00a0: le jeton d’identité ou UserInfo l’a sous le nom email.',
    remedy: 'Envoyer l’adresse dans un attribut nommé email, ou comme NameID.',
  },
  email_domain: {
    demands: 'L’organisation admet les adresses de ce domaine.',
    remedy: 'Ajouter le domaine à allowed_email_domains de l’organisation.',
  },
  linking: {
    demands:
      'L’utilisateur est connu par le NameID, ou par l’émetteur et sub\u00a0; ou la connexion répond du domaine de son adresse, et un fournisseur OpenID la dit vérifiée et ne connaît l’utilisateur sous aucun autre sub\u00a0; ou elle n’est encore à personne, aucune autre connexion ne nomme son domaine, et other_domains de la connexion ne la refuse pas.',
    remedy:
      'Ajouter le domaine de l’adresse à email_domains de la connexion\u00a0; s’il y est, le prouver ou le déclarer parmi les domaines de l’organisation.',
  },
  user_policy: {
    demands:
      'L’utilisateur est dans l’annuaire si la règle est user_registered, et vient de la synchronisation d’annuaire si elle est user_provisionned.',
    remedy:
      'Si la règle est user_registered, créer l’utilisateur\u00a0; ou mettre user_security_type à none. user_provisionned n’admet personne tant qu’il n’y a pas de synchronisation d’annuaire.',
  },
  seats: {
    demands: 'L’organisation a moins d’utilisateurs que seats_limit, si l’utilisateur est nouveau.',
    remedy: 'Augmenter seats_limit, ou supprimer des utilisateurs.',
  },
  user_active: {
    demands: 'L’utilisateur est actif.',
    remedy: 'Mettre active à true chez l’utilisateur.',
  },
  destination_application: {
    demands: 'L’application existe encore, et autorise encore l’adresse de redirection demandée.',
    remedy: 'Autoriser l’adresse de redirection, ou choisir une autre redirection par défaut.',
  },
}
