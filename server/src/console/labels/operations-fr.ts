/** What the operations of the screens do, in French: the contract says it in English. */
export const operationHelps: Readonly<Record<string, string>> = {
  'organizations.delete': 'Supprime une organisation ; tout ce qu’elle contient devient inaccessible',
  'users.addMetadata': 'Donne une valeur à une métadonnée d’un utilisateur ; elle remplace la précédente',
  'users.removeMetadata': 'Retire à un utilisateur la valeur d’une métadonnée',
  'totp.removeEnrollment':
    'Retire le second facteur d’un utilisateur ; ses sessions prennent fin, et il en est averti par e-mail',
  'passkeys.delete':
    'Supprime une clé d’accès d’un utilisateur, même sa dernière façon de se connecter ; ses sessions prennent fin, et il en est averti par e-mail',
  'identities.unlink':
    'Dissocie une identité d’un utilisateur ; ses sessions prennent fin, et il en est averti par e-mail. Sur demande, même sa dernière façon de se connecter',
  'passkeys.openRecovery':
    'Permet à un utilisateur qui a perdu ses clés d’accès d’en ajouter une par un lien envoyé par e-mail, pendant 24 heures ; il en est averti par e-mail',
  'users.delete': 'Supprime un utilisateur ; ses sessions prennent fin aussitôt',
  'sessions.end': 'Ferme une session d’un utilisateur et révoque ses jetons d’actualisation',
  'sessions.endAll': 'Déconnecte un utilisateur partout : ferme toutes ses sessions',
  'impersonations.end': 'Met fin à une prise d’identité, même avant qu’elle ait commencé',
  'invitations.resend':
    'Renvoie une invitation en attente avec une nouvelle URL ; elle expire plus tard, et l’ancienne URL ne fonctionne plus',
  'invitations.revoke': 'Révoque une invitation en attente ; son URL ne fonctionne plus',
  'joinRequests.approve': 'Crée l’utilisateur d’une demande en attente, et l’en avertit par e-mail',
  'joinRequests.deny': 'Refuse une demande en attente, et en avertit son auteur par e-mail',
  'domains.check': 'Recherche maintenant l’enregistrement DNS du domaine',
  'domains.delete': 'Supprime un domaine ; plus rien ne régit ses adresses',
  'directorySync.reset': 'Crée un nouveau secret ; l’ancien reste valable 24 heures',
  'directorySync.delete':
    'Supprime l’annuaire et ses groupes ; ses utilisateurs restent, sans être synchronisés',
  'admins.delete': 'Retire un administrateur ; ses liens et ses sessions prennent fin',
  'applications.delete': 'Supprime une application ; ses codes et ses sessions prennent fin aussitôt',
  'applicationSecrets.delete': 'Supprime un secret d’une application ; il est refusé dès maintenant',
  'tokenCustomization.deleteMetaKey': 'Supprime une clé de métadonnées avec ses valeurs',
  'ssoConnections.inviteAdmin':
    'Envoie à l’administrateur le lien de configuration ; les liens précédents ne sont plus valables',
  'ssoConnections.createOnboarding': 'Nomme l’administrateur qui configure la connexion',
  'ssoConnections.updateOnboarding': 'Change l’administrateur ou le fournisseur de la configuration',
  'ssoConnections.resetOnboarding':
    'Recommence la configuration ; les métadonnées actuelles restent en service',
  'ssoConnections.createDefaultRedirection':
    'Définit où mènent les connexions lancées par le fournisseur d’identité ; les précédentes sont conservées',
  'ssoConnections.activate': 'Active une connexion SSO',
  'ssoConnections.disable': 'Désactive une connexion SSO ; elle ne permet plus de se connecter',
  'webhooks.rotateSignatureKey':
    'Renouvelle la clé de signature ; l’ancienne signe encore, en v0, pendant 24 heures',
  'webhooks.test': 'Envoie un événement d’essai au webhook, qu’il soit actif ou non',
  'webhooks.redeliverAll':
    'Renvoie des événements au webhook : tous ceux qui ont échoué ou se sont perdus, ou tous depuis une date',
  'webhooks.delete': 'Supprime un webhook avec ses envois ; plus rien ne lui est envoyé',
  'webhooks.redeliver': 'Renvoie un événement au webhook, quel que soit l’état de son envoi',
  'roles.delete': 'Supprime un rôle ; sur demande, même si des utilisateurs l’ont',
  'socialProviders.check':
    'Essaie un fournisseur social : ses paramètres et, par un code qui ne peut pas exister, son client',
  'socialProviders.delete':
    'Supprime un fournisseur social ; sur demande, même si des organisations l’utilisent',
  'permissions.delete': 'Supprime une permission ; sur demande, même si des rôles l’ont',
  'relays.delete': 'Supprime un relais ; ses demandes en cours ne sont plus valables',
  'apiKeys.rotate': 'Remplace le secret d’une clé d’API ; seule la page qui suit montre le nouveau',
  'apiKeys.revoke': 'Révoque une clé d’API ; ses jetons sont refusés en quelques secondes',
  'staff.endSessions': 'Déconnecte un membre de l’équipe partout',
  'staff.remove': 'Retire un membre de l’équipe et ferme ses sessions',
  'staffInvitations.revoke': 'Retire une invitation en attente ; son lien ne fonctionne plus',
}
