import type { PeopleTexts } from './people-en.js'

export const fr: PeopleTexts = {
  title: 'Pourquoi cette personne ne peut-elle pas se connecter ?',
  email: 'Adresse e-mail',
  search: 'Rechercher',
  searchHelp:
    'L’adresse est recherchée dans toutes les organisations. Le journal d’audit conserve votre recherche.',
  nobody: 'Aucune organisation de cet environnement ne connaît cette adresse.',
  nobodyAdvice: 'Vérifiez l’orthographe et l’environnement, ou indiquez l’organisation.',
  organization: 'Organisation, par son domaine',
  cut: 'Il y a plus d’organisations que celles affichées. Indiquez-en une.',
  cannot: (email) => `${email} ne peut pas se connecter.`,
  can: (email) => `Rien n’empêche ${email} de se connecter.`,
  last: (at) => `Dernière connexion : ${at}.`,
  never: 'Aucune connexion jusqu’ici.',
  method: {
    sso: 'Les pages dirigent la personne vers l’authentification unique.',
    password: 'Les pages demandent un mot de passe.',
    magic_link: 'Les pages envoient un lien de connexion.',
    passkey: 'Les pages demandent une clé d’accès.',
    social: 'Les pages dirigent la personne vers un fournisseur social.',
  },
  stops: 'Empêche la connexion',
  note: 'Remarque',
  attempt: 'Tentative de connexion',
  user: 'Utilisateur',
  sessions: 'Sessions',
  log: 'Journal de l’adresse',
  done: 'C’est fait. Voyez ce qui reste.',
  failed: 'L’opération a échoué :',
  noApplication: 'L’organisation n’a aucune application à laquelle l’e-mail de mot de passe pourrait mener.',
  findings: {
    no_application: () => 'L’organisation n’a aucune application qui puisse recevoir un utilisateur.',
    redirect_not_allowed: () =>
      'L’application de la dernière connexion, ou son URL de redirection, n’est plus autorisée.',
    no_method: () =>
      'Aucune méthode de connexion n’est active, ni mot de passe, ni lien de connexion, ni authentification unique, et la personne n’a ni clé d’accès ni compte chez un fournisseur social.',
    email_domain_not_allowed: ({ detail }) =>
      `L’organisation n’autorise que les adresses de ${detail || 'certains domaines'}.`,
    sso_inactive: () =>
      'Le domaine de l’adresse relève de l’authentification unique, et la connexion SSO est désactivée.',
    sso_not_configured: () => 'La connexion SSO n’a pas encore de métadonnées, ou pas de client.',
    sso_certificate_ended: ({ until }) => `Le certificat du fournisseur d’identité a expiré : ${until}.`,
    sso_attempt_failed: ({ detail, demands }) =>
      `La dernière authentification unique a échoué à la vérification ${detail}.${demands === '' ? '' : ` Elle exige : ${demands}`}`,
    sso_policy: ({ detail }) =>
      `La règle des utilisateurs de la connexion SSO n’admet pas cette adresse (${detail}).`,
    no_user: () => 'Aucun utilisateur n’a cette adresse, et une connexion n’en crée pas.',
    user_deleted: ({ at }) => `Un utilisateur avait cette adresse et a été supprimé : ${at}.`,
    not_yet_user: () =>
      'Aucun utilisateur n’a encore cette adresse ; la prochaine connexion en crée un ou propose de rejoindre l’organisation.',
    no_seat: ({ count }) => `Les ${count} sièges de l’organisation sont occupés.`,
    user_inactive: () => 'L’utilisateur est inactif.',
    locked: ({ count, until }) =>
      `La connexion est verrouillée après ${count} tentatives${until === '' ? '' : `, jusqu’à ${until}`}.`,
    password_missing: () => 'L’utilisateur n’a pas de mot de passe, et les pages en demandent un.',
    mail_sent: ({ at, mail }) => `Le serveur de messagerie a accepté le dernier e-mail (${mail}) : ${at}.`,
    mail_kept: ({ at }) => `Le dernier e-mail est dans la boîte d’envoi depuis ${at}.`,
    mail_failed: ({ at, mail, detail }) =>
      `Le dernier e-mail (${mail}, ${at}) n’a pas été accepté : ${detail}.`,
    mail_limit: ({ until }) => `L’adresse ne reçoit plus d’e-mail jusqu’à ${until}.`,
    second_factor_missing: ({ until }) =>
      until === ''
        ? 'Un second facteur est exigé, et l’utilisateur n’en a pas.'
        : `Un second facteur sera exigé à partir de ${until}, et l’utilisateur n’en a pas.`,
    second_factor_enrolled: () => 'L’utilisateur a un second facteur, qui lui est demandé.',
    second_factor_locked: ({ until }) =>
      `Trop de codes erronés : le second facteur est verrouillé jusqu’à ${until}.`,
    required_metadata_missing: ({ detail }) =>
      `Il manque à l’utilisateur des métadonnées obligatoires${detail === '' ? '' : ` (${detail})`}.`,
    attempt_refused: ({ at, detail }) => `La dernière tentative (${at}) a été refusée : ${detail}.`,
  },
  actions: {
    edit_application: 'Applications de l’organisation',
    edit_sign_in_methods: 'Méthodes de connexion de l’organisation',
    edit_allowed_domains: 'Modifier les domaines autorisés',
    edit_sso_connection: 'Ouvrir la connexion SSO',
    edit_policy: 'Ouvrir les règles',
    edit_passkeys: 'Ouvrir les réglages des clés d’accès',
    create_user: 'Créer l’utilisateur',
    activate_user: 'Activer l’utilisateur',
    unlock: 'Déverrouiller',
    send_link: 'Envoyer un lien de connexion',
    send_password_mail: 'Envoyer un e-mail de mot de passe',
    remove_second_factor: 'Retirer le second facteur',
    edit_metadata: 'Ajouter une métadonnée',
  },
}
