import type { SsoSetupTexts } from '../en/sso-setup.js'

/** The checks of the contract in French. */
export const checkTexts: SsoSetupTexts['checkTexts'] = {
  encoding: {
    demands: 'SAMLResponse est encodé en base64 et fait au plus 256\u00a0ko.',
    remedy: 'Envoyer la réponse une seule fois, par la liaison HTTP-POST, et ne chiffrer que l’assertion.',
  },
  document: {
    demands:
      'La réponse est un document XML bien formé, sans type de document, commentaire, instruction de traitement ni CDATA, dans ces limites\u00a0: 112\u00a0ko sans les parties chiffrées, 3\u00a0000 éléments de 200 noms différents, 40 niveaux, 20 attributs par élément et 10\u00a0000 en tout, 100 espaces de noms de 256 caractères autour d’un élément.',
    remedy:
      'Si la réponse est trop volumineuse, n’envoyer que les groupes dont l’application a besoin. Aucun produit n’envoie les autres constructions\u00a0: chercher l’intermédiaire qui a modifié la réponse, ou un autre expéditeur.',
  },
  response: {
    demands:
      'Le document est une samlp:Response de version 2.0 qui contient directement une assertion, et une seule.',
    remedy: 'Envoyer une assertion par réponse, en clair ou chiffrée, et rien d’autre.',
  },
  status: {
    demands: 'Le statut de la réponse est Success.',
    remedy:
      'Le fournisseur d’identité a refusé la connexion\u00a0: y affecter l’utilisateur à l’application, et consulter son journal.',
  },
  signature_form: {
    demands:
      'L’assertion ou la réponse est signée. Chaque signature se trouve dans l’élément qu’elle couvre, ne désigne que cet élément par son identifiant unique, et utilise RSA avec SHA-256, SHA-384 ou SHA-512 sur la forme canonique exclusive.',
    remedy:
      'Signer l’assertion ou la réponse avec RSA-SHA256 et l’empreinte SHA-256. Pour un produit qui ne prend en charge que SHA-1, activer allow_sha1 sur la connexion.',
  },
  encryption_form: {
    demands:
      'Une assertion chiffrée utilise AES-GCM, ou AES-CBC dans une réponse elle-même signée\u00a0; sa seule clé, dans son KeyInfo, est chiffrée par RSA-OAEP (rsa-oaep-mgf1p) et SHA-1. Chaque partie figure une seule fois, à sa place\u00a0; rien d’autre n’est chiffré.',
    remedy:
      'Choisir AES-256-GCM et rsa-oaep-mgf1p, comme dans nos métadonnées, ou signer la réponse en plus de l’assertion.',
  },
  response_issuer: {
    demands: 'Issuer de la réponse, s’il est présent, est l’identifiant d’entité des métadonnées.',
    remedy:
      'Déposer les métadonnées du bon fournisseur d’identité\u00a0: son identifiant d’entité est l’Issuer qu’il envoie.',
  },
  destination: {
    demands:
      'Destination est l’adresse ACS de cette connexion\u00a0; elle est obligatoire dans une réponse signée.',
    remedy:
      'Saisir l’adresse ACS de cette connexion, à l’identique, comme adresse d’authentification unique et comme destination.',
  },
  signature: {
    demands:
      'L’assertion se déchiffre avec notre clé, et l’assertion ou la réponse est signée avec une clé des métadonnées.',
    remedy:
      'Déposer les métadonnées actuelles\u00a0: le certificat de signature a peut-être changé. Chiffrer avec le certificat de nos métadonnées, ou ne pas chiffrer.',
  },
  assertion: {
    demands:
      'Le contenu signé, une fois déchiffré, est une saml:Assertion de version 2.0 qui satisfait toujours aux vérifications signature_form et encryption_form.',
    remedy:
      'Signer et chiffrer avec les algorithmes indiqués pour les vérifications signature_form et encryption_form.',
  },
  issuer: {
    demands: 'Issuer de l’assertion est l’identifiant d’entité des métadonnées.',
    remedy: 'Déposer les métadonnées du fournisseur d’identité qui a émis l’assertion.',
  },
  issued_at: {
    demands:
      'IssueInstant date de moins d’une heure et n’est pas dans le futur, avec une tolérance d’horloge de deux minutes.',
    remedy: 'Régler l’horloge du fournisseur d’identité par NTP.',
  },
  conditions: {
    demands:
      'L’heure actuelle se situe entre NotBefore et NotOnOrAfter des conditions, et avant SessionNotOnOrAfter s’il est présent, avec une tolérance d’horloge de deux minutes.',
    remedy:
      'Régler l’horloge du fournisseur d’identité par NTP, et fixer la durée de vie des assertions à cinq minutes.',
  },
  audience: {
    demands: 'Chaque AudienceRestriction contient l’identifiant d’entité de cette connexion.',
    remedy:
      'Saisir l’identifiant d’entité de cette connexion, à l’identique, comme audience ou comme identifiant du fournisseur de services.',
  },
  recipient: {
    demands:
      'Une confirmation bearer a l’adresse ACS de cette connexion comme Recipient, un NotOnOrAfter dans le futur, et pas de NotBefore.',
    remedy: 'Saisir l’adresse ACS de cette connexion, à l’identique, comme recipient.',
  },
  subject: {
    demands:
      'Le sujet a un NameID de 512 caractères au plus, qui n’est pas au format transient, et il y a un AuthnStatement.',
    remedy:
      'Envoyer un NameID au format persistent ou emailAddress\u00a0: un NameID transient change à chaque connexion, ce qui créerait chaque fois un nouvel utilisateur.',
  },
  in_response_to: {
    demands: 'La réponse et l’assertion signée ont le même InResponseTo, ou n’en ont ni l’une ni l’autre.',
    remedy: 'La réponse a été modifiée en chemin. Se connecter à nouveau.',
  },
  unsolicited: {
    demands:
      'La réponse répond à une requête, ou idp_initiated de la connexion accepte les réponses non sollicitées.',
    remedy:
      'Mettre idp_initiated à bounce, ou demander aux utilisateurs de partir de l’application plutôt que du portail du fournisseur d’identité.',
  },
  request: {
    demands:
      'La requête correspondante a été envoyée pour cette connexion il y a dix minutes au plus, et est toujours ouverte.',
    remedy:
      'Se connecter à nouveau\u00a0: la page du fournisseur d’identité est restée ouverte trop longtemps.',
  },
  browser: {
    demands: 'Le navigateur est celui où la connexion a commencé.',
    remedy: 'Terminer dans le navigateur où la connexion a commencé, avec les cookies autorisés.',
  },
  authenticated_at: {
    demands:
      'Si l’application exige une nouvelle authentification (prompt=login ou max_age), AuthnInstant, ou auth_time du jeton d’identité, n’est pas antérieur à sa demande, avec une tolérance d’horloge de deux minutes.',
    remedy:
      'Configurer le fournisseur d’identité pour qu’il respecte ForceAuthn, ou max_age en envoyant auth_time, et régler son horloge par NTP.',
  },
  replay: {
    demands: 'L’assertion n’a pas encore été utilisée.',
    remedy: 'Se connecter à nouveau\u00a0: une assertion n’est valable qu’une fois.',
  },
  oidc_state: {
    demands:
      'state correspond à une demande de connexion de cette connexion SSO, envoyée il y a dix minutes au plus et toujours ouverte.',
    remedy:
      'Se connecter à nouveau\u00a0: la page du fournisseur est restée ouverte trop longtemps, ou a répondu deux fois.',
  },
  oidc_browser: {
    demands: 'Le navigateur est celui où la connexion a commencé.',
    remedy: 'Terminer dans le navigateur où la connexion a commencé, avec les cookies autorisés.',
  },
  oidc_answer: {
    demands: 'Le fournisseur renvoie le navigateur avec un code, et non avec une erreur.',
    remedy:
      'Le fournisseur a refusé la connexion\u00a0: y affecter l’utilisateur à l’application, autoriser l’URI de redirection de cette connexion, et consulter son journal.',
  },
  oidc_discovery: {
    demands:
      'Le document de découverte de l’émetteur est lisible, en 5 secondes et 256\u00a0ko au plus, et indique ce même émetteur.',
    remedy:
      'Saisir comme émetteur, à l’identique, la valeur issuer de son /.well-known/openid-configuration.',
  },
  oidc_issuer_parameter: {
    demands: 'iss de la réponse, si le fournisseur l’envoie, est l’émetteur (RFC 9207).',
    remedy: 'La réponse vient d’un autre fournisseur. Se connecter à nouveau.',
  },
  oidc_token: {
    demands:
      'Le fournisseur échange le code contre des jetons, avec le client de la connexion, son secret et code_verifier.',
    remedy: 'Saisir un secret de client valable\u00a0: chez certains fournisseurs, les secrets expirent.',
  },
  oidc_id_token: {
    demands:
      'Le jeton d’identité est signé avec une clé du fournisseur et un algorithme asymétrique, a l’émetteur, l’audience et le nonce attendus, et est valable à l’heure actuelle, avec une tolérance d’horloge de deux minutes.',
    remedy: 'Signer les jetons d’identité avec RS256 ou ES256, et régler l’horloge du fournisseur par NTP.',
  },
  oidc_token_type: {
    demands:
      'typ, s’il figure dans l’en-tête du jeton d’identité, est JWT\u00a0: un jeton de déconnexion ou d’accès n’est pas un jeton d’identité.',
    remedy: 'Envoyer comme id_token un jeton d’identité, avec typ à JWT ou sans typ.',
  },
  oidc_authorized_party: {
    demands:
      'azp du jeton d’identité, s’il est présent, est le client de la connexion (OpenID Connect Core, section 3.1.3.7).',
    remedy:
      'Le jeton a été émis pour un autre client\u00a0: configurer le fournisseur pour qu’il l’émette pour le client de la connexion.',
  },
  oidc_issued_at: {
    demands:
      'iat du jeton d’identité date de dix minutes au plus, la durée maximale d’une connexion, et n’est pas dans le futur, avec une tolérance d’horloge de deux minutes.',
    remedy:
      'Régler l’horloge du fournisseur par NTP, et lui faire émettre un nouveau jeton d’identité à chaque connexion.',
  },
  oidc_subject: {
    demands: 'Le jeton d’identité a un sub de 255 caractères au plus.',
    remedy: 'Envoyer sub comme l’exige la section 2 d’OpenID Connect Core.',
  },
  oidc_hosted_domain: {
    demands: 'Chez Google\u00a0: hd est un domaine de la connexion ou de l’organisation.',
    remedy:
      'Ajouter le domaine à email_domains de la connexion. Les comptes Google personnels n’ont pas de hd et ne permettent pas de se connecter.',
  },
  connection_active: {
    demands: 'La connexion SSO est active.',
    remedy: 'Activer la connexion SSO.',
  },
  email: {
    demands:
      'L’assertion contient une adresse e-mail, dans un attribut au nom connu ou comme NameID. Avec OpenID Connect\u00a0: le jeton d’identité ou UserInfo contient email.',
    remedy: 'Envoyer l’adresse dans un attribut nommé email, ou comme NameID.',
  },
  email_domain: {
    demands: 'L’organisation autorise les adresses de ce domaine à se connecter.',
    remedy: 'Ajouter le domaine à allowed_email_domains de l’organisation.',
  },
  invitation: {
    demands: 'Si la connexion a commencé par une invitation\u00a0: l’adresse est celle qui a été invitée.',
    remedy: 'Inviter l’adresse que l’utilisateur a chez le fournisseur d’identité.',
  },
  linking: {
    demands:
      'L’un de ces cas\u00a0: l’utilisateur est connu par son NameID, ou par l’émetteur et sub\u00a0; ou la connexion fait autorité pour le domaine de l’adresse et, avec un fournisseur OpenID, l’adresse est indiquée comme vérifiée et, une fois vérifiée, son utilisateur n’a pas d’autre sub chez ce fournisseur\u00a0; ou personne n’a encore cette adresse, aucune autre connexion ne nomme son domaine, et other_domains de la connexion ne la refuse pas.',
    remedy:
      'Ajouter le domaine de l’adresse à email_domains de la connexion\u00a0; s’il y est déjà, le prouver ou le déclarer parmi les domaines de l’organisation.',
  },
  user_policy: {
    demands:
      'Avec user_registered, l’utilisateur existe\u00a0; avec user_provisionned, il provient de la synchronisation d’annuaire.',
    remedy:
      'Avec user_registered, créer l’utilisateur, ou mettre user_security_type à none. Avec user_provisionned, personne ne peut se connecter sans synchronisation d’annuaire.',
  },
  seats: {
    demands: 'Pour un nouvel utilisateur, l’organisation a moins d’utilisateurs que seats_limit.',
    remedy: 'Augmenter seats_limit, ou supprimer des utilisateurs.',
  },
  user_active: {
    demands: 'L’utilisateur est actif.',
    remedy: 'Mettre active à true sur l’utilisateur.',
  },
  destination_application: {
    demands: 'L’application existe toujours, et autorise toujours l’URL de redirection demandée.',
    remedy: 'Autoriser l’URL de redirection, ou choisir une autre redirection par défaut.',
  },
}
