import type { MailTexts } from './mail-texts.js'

/** The mails in French. */
export const fr: MailTexts = {
  links: {
    sign_in: {
      subject: (organization) => `Se connecter à ${organization}`,
      invitation: (organization) => `Utilisez ce lien pour vous connecter à ${organization}\u00a0:`,
      button: 'Se connecter',
      lifetime: (minutes) =>
        `Ce lien ne fonctionne qu’une fois et expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`}. Ne le partagez pas\u00a0: quiconque l’ouvre peut se connecter à votre place.`,
      unexpected:
        'Si vous n’avez rien demandé, ignorez cet e-mail. Personne ne peut se connecter sans le lien.',
    },
    password: {
      subject: (organization) => `Choisissez votre mot de passe pour ${organization}`,
      invitation: (organization) =>
        `Utilisez ce lien pour choisir un nouveau mot de passe pour ${organization}\u00a0:`,
      button: 'Choisir mon mot de passe',
      lifetime: (minutes) =>
        `Ce lien ne fonctionne qu’une fois et expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`}. Ne le partagez pas\u00a0: quiconque l’ouvre peut choisir votre mot de passe.`,
      unexpected:
        'Si vous n’avez rien demandé, ignorez cet e-mail. Votre mot de passe reste le même, et personne ne peut le changer sans le lien.',
    },
  },
  adminInvitation: {
    subject: (organization) => `Configurer l’authentification unique pour ${organization}`,
    invitation: (organization, service) =>
      `Vous êtes invité à relier le fournisseur d’identité de ${organization} à ${service}, afin que ses utilisateurs s’y connectent avec le compte qu’ils ont déjà. Utilisez ce lien pour commencer, ou pour reprendre là où vous en étiez\u00a0:`,
    button: 'Configurer l’authentification unique',
    lifetime: (days) =>
      `Ce lien fonctionne pendant ${days === 1 ? 'un jour' : `${days} jours`}, autant de fois que nécessaire. Ne le partagez pas. Dans un nouveau navigateur, nous vous envoyons aussi un code par e-mail.`,
    unexpected:
      'Si ce n’est pas de votre ressort, ouvrez le lien, saisissez le code et signalez-le-nous. Si cette invitation ne vous dit rien, ignorez cet e-mail\u00a0: rien n’a changé.',
  },
  invitation: {
    subject: (organization) => `${organization} vous a invité`,
    invitation: (organization, product) =>
      `${organization} vous a invité à utiliser ${product}. Utilisez ce lien pour accepter l’invitation\u00a0:`,
    ofConsole: {
      subject: (account) => `Rejoindre la console du compte ${account}`,
      invitation: (account, product, inviter) =>
        `${inviter === null ? 'Vous êtes invité' : `${inviter} vous invite`} à rejoindre la console du compte ${account} sur ${product}, où son équipe gère les organisations, les utilisateurs et les connexions. Utilisez ce lien pour accepter l’invitation\u00a0:`,
    },
    button: 'Accepter l’invitation',
    lifetime: (days) =>
      `Ce lien fonctionne une seule fois, pendant ${days === 1 ? 'un jour' : `${days} jours`}. Ne le partagez pas.`,
    unexpected:
      'Si vous ne savez pas pourquoi vous avez été invité, ignorez cet e-mail. Il ne se passera rien.',
  },
  joinRequests: {
    subject: (organization) => `Demandes pour rejoindre ${organization}`,
    invitation: (organization, people) =>
      `${people === 1 ? 'Une personne demande' : `${people} personnes demandent`} à rejoindre ${organization}. Utilisez ce lien pour accepter ou refuser\u00a0:`,
    button: 'Voir les demandes',
    lifetime: (days) =>
      `Ce lien fonctionne pendant ${days === 1 ? 'un jour' : `${days} jours`}. Ne le partagez pas. Dans un nouveau navigateur, nous vous envoyons aussi un code par e-mail.`,
    unexpected:
      'Vous recevez cet e-mail parce que vous avez été invité à gérer l’authentification de votre organisation. Tant que vous ne décidez rien, personne ne la rejoint.',
  },
  joinDecision: {
    approved: {
      subject: (organization) => `Vous êtes membre de ${organization}`,
      told: (organization) => `Votre demande pour rejoindre ${organization} a été acceptée.`,
      next: (_, product) =>
        `Connectez-vous à ${product} avec cette adresse e-mail, comme lors de votre demande.`,
    },
    denied: {
      subject: (organization) => `Votre demande pour rejoindre ${organization}`,
      told: (organization) => `Votre demande pour rejoindre ${organization} n’a pas été acceptée.`,
      next: (organization) =>
        `Si vous pensez qu’il s’agit d’une erreur, adressez-vous à une personne que vous connaissez chez ${organization}.`,
    },
  },
  plainLink: 'Si le bouton ne fonctionne pas, copiez ce lien dans votre navigateur\u00a0:',
  notices: {
    password_set: {
      subject: (organization) => `Votre mot de passe pour ${organization} a été défini`,
      told: (organization) =>
        `Un mot de passe a été défini pour votre compte chez ${organization}. L’ancien, s’il y en avait un, ne fonctionne plus.`,
    },
    recovery_code_used: {
      subject: (organization) => `Un code de secours a servi à se connecter à ${organization}`,
      told: (organization) =>
        `Un de vos codes de secours pour ${organization} a été utilisé à la place d’un code de votre téléphone. Il ne peut plus servir.`,
    },
    totp_enrolled: {
      subject: (organization) => `La validation en deux étapes a été configurée chez ${organization}`,
      told: (organization) =>
        `La validation en deux étapes a été configurée pour votre compte chez ${organization}. Désormais, un code vous est demandé à la connexion.`,
    },
    totp_enrollment_forced: {
      subject: (organization) =>
        `Une nouvelle validation en deux étapes a été commencée chez ${organization}`,
      told: (organization) =>
        `Quelqu’un a commencé à configurer une nouvelle validation en deux étapes pour votre compte chez ${organization}. L’actuelle fonctionne jusqu’à ce que la nouvelle soit confirmée.`,
    },
    recovery_codes_renewed: {
      subject: (organization) => `Vos nouveaux codes de secours pour ${organization}`,
      told: (organization) =>
        `De nouveaux codes de secours ont été créés pour votre compte chez ${organization}. Les précédents ne fonctionnent plus.`,
    },
    account_deleted: {
      subject: (organization) => `Votre compte chez ${organization} a été supprimé`,
      told: (organization) =>
        `Votre compte chez ${organization} a été supprimé depuis sa page, et vous avez été déconnecté partout.`,
    },
    email_change_tried: {
      subject: (organization) => `Quelqu’un a voulu utiliser votre adresse e-mail chez ${organization}`,
      told: (organization) =>
        `Une personne connectée à un autre compte chez ${organization} a demandé à y utiliser votre adresse e-mail. Rien n’a changé\u00a0: l’adresse reste celle de votre compte.`,
      unexpected: () =>
        'Si c’était vous, connectez-vous au compte qui a cette adresse, ou choisissez-en une autre. Sinon, ignorez cet e-mail.',
    },
    totp_enrollment_removed: {
      subject: (organization) => `La validation en deux étapes a été supprimée chez ${organization}`,
      told: (organization) =>
        `La validation en deux étapes a été supprimée de votre compte chez ${organization}. Les codes de votre téléphone et vos codes de secours ne fonctionnent plus, et vous avez été déconnecté partout.`,
    },
    passkey_added: {
      subject: (organization) => `Une clé d’accès a été ajoutée chez ${organization}`,
      told: (organization) =>
        `Une clé d’accès a été ajoutée à votre compte chez ${organization}. Quiconque dispose de l’appareil où elle se trouve peut s’en servir pour se connecter.`,
    },
    passkey_removed: {
      subject: (organization) => `Une clé d’accès a été supprimée chez ${organization}`,
      told: (organization) =>
        `Une clé d’accès a été supprimée de votre compte chez ${organization}, et vous avez été déconnecté de tous vos autres appareils.`,
    },
    passkey_disabled: {
      subject: (organization) => `Une clé d’accès a été bloquée chez ${organization}`,
      told: (organization) =>
        `Une clé d’accès de votre compte chez ${organization} a été bloquée, car il semble qu’une copie ait été utilisée. Connectez-vous avec une autre clé d’accès pour la supprimer, ou contactez votre administrateur. Ajoutez-en ensuite une nouvelle.`,
    },
    passkey_recovery_opened: {
      subject: (organization) => `Vous pouvez remplacer vos clés d’accès chez ${organization}`,
      told: (organization) =>
        `Votre administrateur chez ${organization} vous permet d’ajouter une nouvelle clé d’accès sans celle que vous avez perdue. Dans les 24 heures, connectez-vous avec un lien reçu par e-mail et ajoutez-la.`,
    },
    passkey_recovery_code_used: {
      subject: (organization) => `Un code de secours a été utilisé chez ${organization}`,
      told: (organization) =>
        `Un de vos codes de secours pour ${organization} a été utilisé à la place d’une clé d’accès. Il ne peut plus servir. La personne qui l’a utilisé peut ajouter une nouvelle clé d’accès à votre compte.`,
    },
    identity_linked: {
      subject: (organization) => `Un moyen de connexion a été ajouté chez ${organization}`,
      told: (organization) =>
        `Un compte chez un autre fournisseur a été associé à votre compte chez ${organization}. Quiconque peut utiliser ce compte peut désormais se connecter ici.`,
    },
    identity_unlinked: {
      subject: (organization) => `Un moyen de connexion a été retiré chez ${organization}`,
      told: (organization) =>
        `Un compte chez un autre fournisseur a été dissocié de votre compte chez ${organization}, et vous avez été déconnecté de tous vos autres appareils. Il ne permet plus de vous connecter.`,
    },
  },
  unexpectedNotice: (organization) =>
    `Si ce n’était pas vous, contactez immédiatement votre administrateur chez ${organization}\u00a0: quelqu’un d’autre utilise peut-être votre compte.`,
  visit: (moment, browser, network) =>
    `Quand et où\u00a0: ${moment}, avec ${browser ?? 'un navigateur que nous ne connaissons pas'}, depuis le réseau ${network}.`,
  keptPasskeys: (names) =>
    `Ces clés d’accès de votre compte restent valables\u00a0: ${names}. Supprimez celles que vous ne connaissez pas sur la page de votre compte\u00a0:`,
  ownPage: 'Vos appareils et vos moyens de connexion se trouvent sur la page de votre compte\u00a0:',
  adminCode: {
    subject: (organization) => `Votre code pour configurer l’authentification unique pour ${organization}`,
    instruction: (organization) =>
      `Vous avez ouvert l’invitation à configurer l’authentification unique pour ${organization}. Saisissez-y ce code\u00a0:`,
    lifetime: (minutes) =>
      `Il expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`} et ne fonctionne que dans le navigateur qui l’a demandé. Ne le communiquez à personne.`,
    unexpected:
      'Si vous n’avez pas ouvert l’invitation, quelqu’un d’autre détient le lien. Personne ne peut entrer sans ce code. Demandez une nouvelle invitation aux personnes qui vous ont invité.',
  },
  addressCode: {
    subject: (organization) => `Votre code pour ${organization}`,
    instruction: (organization) =>
      `Saisissez ce code pour confirmer votre adresse e-mail auprès de ${organization}\u00a0:`,
    lifetime: (minutes) =>
      `Il expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`} et ne fonctionne que dans le navigateur qui l’a demandé. Ne le communiquez à personne.`,
    unexpected:
      'Si vous n’avez pas tenté de vous connecter, ignorez cet e-mail. Personne ne peut se connecter avec votre adresse sans ce code.',
  },
  newAddressCode: {
    subject: (organization) => `Votre code pour ${organization}`,
    instruction: (organization) =>
      `Vous souhaitez utiliser cette adresse e-mail pour votre compte chez ${organization}. Saisissez ce code sur la page de votre compte\u00a0:`,
    lifetime: (minutes) =>
      `Il expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`} et ne fonctionne que dans le navigateur qui l’a demandé. Ne le communiquez à personne.`,
    unexpected:
      'Si vous n’avez rien demandé, ignorez cet e-mail. Personne ne peut utiliser votre adresse sans ce code.',
  },
  oldAddressCode: {
    subject: (organization) => `Votre code pour changer d’adresse e-mail chez ${organization}`,
    instruction: (organization, newAddress) =>
      `L’adresse e-mail de votre compte chez ${organization} doit être remplacée par ${newAddress}. Si vous l’avez demandé, saisissez ce code sur la page de votre compte\u00a0:`,
    lifetime: (minutes) =>
      `Il expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`} et ne fonctionne que dans le navigateur qui l’a demandé. Ne le communiquez à personne.`,
    unexpected:
      'Si vous n’avez rien demandé, quelqu’un d’autre est connecté à votre compte. Rien ne change sans ce code. Déconnectez tous vos appareils sur la page de votre compte et choisissez un nouveau mot de passe.',
  },
  emailChanged: {
    subject: (organization) => `Votre adresse e-mail chez ${organization} a été changée`,
    told: (organization, address) =>
      `L’adresse e-mail de votre compte chez ${organization} est désormais ${address}. Nous ne vous écrirons plus à celle-ci.`,
    invitation:
      'Si ce n’était pas vous, utilisez ce lien pour annuler le changement et déconnecter tous les appareils\u00a0:',
    button: 'Ce n’était pas moi',
    lifetime: (days) =>
      `Ce lien fonctionne une seule fois, pendant ${days === 1 ? 'un jour' : `${days} jours`}. Ne le communiquez à personne.`,
    expected: 'Si c’était vous, ignorez cet e-mail.',
  },
  emailReverted: {
    subject: (organization) => `Votre adresse e-mail chez ${organization} a été rétablie`,
    told: (organization, address) =>
      `L’adresse e-mail de votre compte chez ${organization} est de nouveau ${address}\u00a0: le lien que nous y avions envoyé a été utilisé. Vous avez été déconnecté partout\u00a0; le mot de passe, les clés d’accès, les comptes associés et la validation en deux étapes ajoutés dans les deux semaines avant le changement, ou depuis, ont été supprimés, et l’adresse ne peut pas être changée pendant trois jours.`,
    unexpected: (organization) =>
      `Si ce compte est le vôtre et que vous ne pouvez plus vous connecter, contactez votre administrateur chez ${organization}.`,
  },
  deletionRequest: {
    subject: (organization) => `Une personne demande la suppression de son compte chez ${organization}`,
    told: (organization, address) =>
      `L’utilisateur dont l’adresse e-mail est ${address} a demandé, sur la page de son compte, que son compte chez ${organization} soit supprimé.`,
    next: 'Rien ne se fait tout seul\u00a0: supprimez cet utilisateur là où vous gérez vos utilisateurs, ou dites-lui pourquoi vous ne le faites pas.',
  },
  metadataNotice: {
    subject: (organization) =>
      `Des métadonnées ont été déposées pour l’authentification unique de ${organization}`,
    told: (organization, connection) =>
      `Un administrateur a déposé les métadonnées d’un fournisseur d’identité pour l’authentification unique de ${organization}, connexion ${connection}.`,
    inUse: 'Elles sont actives\u00a0: ce fournisseur d’identité décide désormais qui peut se connecter.',
    waits:
      'Rien n’a encore changé pour vos utilisateurs\u00a0: les métadonnées précédentes restent actives jusqu’à ce que les personnes qui vous ont invité activent les nouvelles.',
    unexpected:
      'Si aucun de vous ne l’a fait, contactez immédiatement les personnes qui vous ont invité\u00a0: quiconque peut déposer des métadonnées peut se connecter à la place de n’importe quel utilisateur.',
  },
  clientNotice: {
    subject: (organization) => `Un client a été saisi pour l’authentification unique de ${organization}`,
    told: (organization, connection) =>
      `Un administrateur a saisi le client d’un fournisseur OpenID pour l’authentification unique de ${organization}, connexion ${connection}.`,
    inUse: 'Il est actif\u00a0: ce fournisseur décide désormais qui peut se connecter.',
    waits:
      'Rien n’a encore changé pour vos utilisateurs\u00a0: le client précédent reste actif jusqu’à ce que les personnes qui vous ont invité activent le nouveau.',
    unexpected:
      'Si aucun de vous ne l’a fait, contactez immédiatement les personnes qui vous ont invité\u00a0: quiconque peut choisir le fournisseur peut se connecter à la place de n’importe quel utilisateur.',
  },
  domainNotice: {
    subject: (domain) => `L’enregistrement DNS de ${domain} est introuvable`,
    told: (domain, organization) =>
      `Nous ne trouvons plus l’enregistrement DNS qui prouve que ${domain} appartient à ${organization}.`,
    record: (name, value) =>
      `Ajoutez à nouveau cet enregistrement TXT. Nom\u00a0: ${name}, valeur\u00a0: ${value}`,
    lapses: (day) =>
      `Rien ne change jusqu’au ${day}. Si l’enregistrement manque encore à cette date, nous ne ferons plus confiance aux adresses de ce domaine transmises par l’authentification unique ou la synchronisation d’annuaire. Les utilisateurs qui se sont déjà connectés pourront toujours se connecter.`,
    lapsed:
      'Tant que l’enregistrement manque, nous ne faisons pas confiance aux adresses de ce domaine transmises par l’authentification unique ou la synchronisation d’annuaire. Les utilisateurs qui se sont déjà connectés peuvent toujours se connecter\u00a0; les nouveaux peuvent être refusés.',
  },
  impersonation: {
    subject: (organization) => `Un membre de notre assistance a utilisé votre compte chez ${organization}`,
    told: (organization, moment, minutes) =>
      `Le ${moment}, un membre de notre assistance s’est connecté à votre compte chez ${organization}, pour ${minutes === 1 ? 'une minute' : `${minutes} minutes`} au plus.`,
    allowed:
      'Votre mot de passe et vos propres sessions restent inchangés. Toutes ses actions sont consignées à son nom.',
    unexpected: (organization) =>
      `Si vous ne vous y attendiez pas, contactez votre administrateur chez ${organization}\u00a0: il peut en connaître la raison et empêcher que cela se reproduise.`,
  },
  sandbox: 'Message de test provenant d’un bac à sable, et non du service réel.',
  sentBy: (product, organization) => `Envoyé par ${product} pour ${organization}`,
}
