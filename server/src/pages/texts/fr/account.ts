import type { AccountTexts, EmailLinkTexts } from '../en/account.js'

export const account: AccountTexts = {
  account: {
    heading: 'Votre compte',
    back: 'Retour à votre compte',
    backTo: (application) => `Retour à ${application}`,
    saved: 'Votre modification a été enregistrée.',
    confirmFirst: 'Pour modifier votre compte, confirmez que c’est vous.',
    states: {
      passwordSet: 'Défini',
      passwordNotSet: 'Non défini',
      on: 'Activée',
      off: 'Désactivée',
      passkeys: (count) => (count === 0 ? 'Aucune' : String(count)),
    },
    sections: {
      profile: {
        heading: 'Profil',
        sentence: 'Ce que les applications savent de vous\u00a0: nom, langue et adresse.',
      },
      email: {
        heading: 'Adresse e-mail',
        sentence: 'Changer l’adresse avec laquelle vous vous connectez.',
      },
      password: { heading: 'Mot de passe', sentence: 'Choisir un mot de passe ou le changer.' },
      'second-factor': {
        heading: 'Validation en deux étapes',
        sentence: 'Un code de votre téléphone à la connexion, et des codes de secours.',
      },
      passkeys: {
        heading: 'Clés d’accès',
        sentence: 'Vous connecter avec votre empreinte, votre visage ou un code.',
      },
      linked: {
        heading: 'Autres comptes',
        sentence: 'Vous connecter avec un compte que vous avez ailleurs.',
      },
      sessions: { heading: 'Appareils', sentence: 'Là où vous êtes connecté.' },
      data: { heading: 'Vos données', sentence: 'Télécharger ce qui est enregistré à votre sujet.' },
      delete: { heading: 'Supprimer votre compte', sentence: 'Définitivement, et partout.' },
    },
    profile: {
      labels: {
        given_name: 'Prénom',
        family_name: 'Nom de famille',
        nickname: 'Surnom',
        locale: 'Langue',
        zoneinfo: 'Fuseau horaire',
        picture: 'Photo',
        street_address: 'Numéro et rue',
        postal_code: 'Code postal',
        locality: 'Ville',
        region: 'Région',
        country: 'Pays',
      },
      hints: {
        locale: 'Un code de langue, par exemple fr-FR.',
        zoneinfo: 'Par exemple Europe/Paris.',
        picture: 'L’adresse d’une image, qui commence par https://.',
      },
      faults: {
        given_name: '100 caractères au maximum.',
        family_name: '100 caractères au maximum.',
        nickname: '100 caractères au maximum.',
        locale: 'Saisissez un code de langue, par exemple fr-FR.',
        zoneinfo: 'Saisissez un fuseau horaire, par exemple Europe/Paris.',
        picture:
          'Saisissez une adresse qui commence par https:// et compte 2\u202f000 caractères au maximum.',
        street_address: '300 caractères au maximum.',
        postal_code: '30 caractères au maximum.',
        locality: '100 caractères au maximum.',
        region: '100 caractères au maximum.',
        country: '100 caractères au maximum.',
      },
      button: 'Enregistrer',
      managed: 'Votre organisation gère votre profil. Demandez à votre administrateur de le modifier.',
      none: '–',
    },
    email: {
      sentence:
        'Vous vous connectez avec cette adresse, et nous vous y écrivons. Pour la changer, vous confirmez l’ancienne et la nouvelle.',
      managed:
        'Votre organisation gère votre adresse e-mail. Demandez à votre administrateur de la modifier.',
      stopped: (wait) =>
        `Votre adresse e-mail a été rétablie. Pour protéger votre compte, elle ne pourra être changée à nouveau que ${wait}.`,
      label: 'Nouvelle adresse e-mail',
      button: 'Changer l’adresse',
      changed: 'Votre adresse e-mail a été changée.',
      to: (address) => `Nouvelle adresse\u00a0: ${address}`,
      oldSentence:
        'Confirmez d’abord que ce compte est le vôtre\u00a0: nous avons envoyé un code à 6 chiffres à votre adresse actuelle. Saisissez-le ici.',
      newSentence:
        'Nous avons maintenant envoyé un code à 6 chiffres à la nouvelle adresse. Saisissez-le ici.',
      codeLabel: 'Code à 6 chiffres',
      confirm: 'Continuer',
      noAccess: 'Vous ne pouvez plus lire les messages à votre adresse actuelle\u00a0?',
      appLabel: 'Code de votre application d’authentification',
      appButton: 'Utiliser plutôt ce code',
      passkeyButton: 'Utiliser plutôt une clé d’accès',
      cancel: 'Ne pas la changer',
      faults: {
        missing: 'Saisissez la nouvelle adresse e-mail.',
        invalid: 'Saisissez une adresse e-mail valide, par exemple nom@exemple.fr.',
        same: 'C’est déjà votre adresse e-mail.',
        not_allowed:
          'Les adresses de ce domaine ne peuvent pas être utilisées ici, ou appartiennent à des personnes qui se connectent par leur organisation.',
        wrong_code: 'Code incorrect. Vérifiez-le et réessayez.',
        wrong_app_code: 'Code incorrect. Attendez le suivant dans l’application et réessayez.',
        code_over: 'Ce code a expiré. Demandez-en un nouveau.',
        app_locked:
          'Trop de codes incorrects. Attendez un quart d’heure, ou utilisez le code reçu par e-mail.',
        passkey_refused:
          'Cette clé d’accès n’a pas été acceptée. Réessayez, ou utilisez le code reçu par e-mail.',
        taken: 'Un autre compte a désormais cette adresse ici. Choisissez-en une autre.',
        over: 'Cela a pris trop de temps, ou a été commencé dans un autre navigateur. Saisissez à nouveau la nouvelle adresse.',
        too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
        too_many_mails: (wait) => `Nous avons déjà envoyé plusieurs e-mails. Réessayez ${wait}.`,
      },
    },
    delete: {
      sentence:
        'Vous serez déconnecté partout et ne pourrez plus vous connecter avec ce compte. Personne ne peut annuler cette suppression. Pour continuer, saisissez l’adresse e-mail de votre compte.',
      notOffered: 'Vous ne pouvez pas supprimer ce compte vous-même. Demandez à votre administrateur.',
      label: 'Adresse e-mail de votre compte',
      button: 'Supprimer mon compte',
      wrong: 'Ce n’est pas l’adresse e-mail de votre compte.',
      ask: 'Votre organisation décide de la suppression de votre compte. Nous posons la question à ses administrateurs par e-mail. Tant qu’ils n’ont pas décidé, rien ne change.',
      askButton: 'Demander la suppression',
      asked: (ago) =>
        `Vous avez demandé la suppression de votre compte ${ago}. Votre demande est enregistrée pour votre organisation. Tant qu’elle n’a pas décidé, rien ne change.`,
      doneHeading: 'Votre compte a été supprimé',
      done: 'Vous avez été déconnecté partout. Vous pouvez fermer cette page.',
    },
    data: {
      sentence:
        'Vous recevez un fichier avec ce qui est enregistré ici à votre sujet\u00a0: votre profil, vos connexions et leurs appareils, et les modifications. Il ne nomme personne d’autre.',
      notOffered: 'Votre organisation ne le propose pas. Demandez vos données à votre administrateur.',
      button: 'Télécharger',
      faults: {
        too_many: (wait) => `Vous pouvez télécharger vos données trois fois par jour. Réessayez ${wait}.`,
      },
    },
    password: {
      othersEnd: 'Vous serez déconnecté de tous vos autres appareils.',
      saved: 'Votre mot de passe a été enregistré. Vous avez été déconnecté de tous vos autres appareils.',
      notOffered: 'Vous ne vous connectez pas avec un mot de passe ici.',
      needsMailbox:
        'Pour définir votre premier mot de passe, montrez que vous recevez les e-mails de cette adresse\u00a0: déconnectez-vous, puis demandez un lien ou un nouveau mot de passe à la connexion.',
    },
    secondFactor: {
      notOffered: 'Votre organisation n’utilise pas la validation en deux étapes.',
      none: 'Désactivée. Vous pouvez demander qu’un code de votre téléphone soit aussi exigé à la connexion, afin que votre mot de passe ou votre messagerie ne suffisent pas.',
      on: {
        totp_mobile_app: 'Activée\u00a0: vous saisissez un code de votre application d’authentification.',
        sms: 'Activée\u00a0: vous saisissez un code reçu par SMS.',
      },
      replace: 'Configurer un nouveau téléphone',
      remove: 'Désactiver',
      removeSentence:
        'Aucun code de votre téléphone ne vous sera plus demandé, et ses codes de secours cesseront de fonctionner. Vous serez déconnecté de tous vos autres appareils.',
      removeButton: 'Désactiver la validation en deux étapes',
      demanded:
        'Votre organisation exige la validation en deux étapes\u00a0: elle ne peut pas être désactivée.',
    },
  },
}

export const emailLink: EmailLinkTexts = {
  emailLink: {
    heading: (address, organization) => `Rétablir ${address} comme adresse e-mail chez ${organization}`,
    button: 'Rétablir l’adresse',
    hint: 'Tous les appareils seront déconnectés. Le mot de passe, les clés d’accès, les comptes associés et la validation en deux étapes ajoutés dans les deux semaines avant le changement, ou depuis, seront supprimés. L’adresse ne pourra pas être changée pendant trois jours.',
    unexpected: 'Si vous avez changé l’adresse vous-même, fermez cette page. Il ne se passera rien.',
    signIn: 'Se connecter',
  },
  emailBack: {
    heading: 'Votre adresse est rétablie',
    sentence:
      'Votre compte a de nouveau son ancienne adresse e-mail, et tous les appareils ont été déconnectés. Le mot de passe, les clés d’accès, les comptes associés et la validation en deux étapes ajoutés dans les deux semaines avant le changement, ou depuis, ont été supprimés.',
    advice:
      'Connectez-vous et choisissez un nouveau mot de passe. Sur la page de votre compte, supprimez les clés d’accès et les téléphones que vous ne reconnaissez pas.',
  },
  deadEmailLink: {
    heading: 'Ce lien ne fonctionne plus',
    sentence: 'Il fonctionne une seule fois, pendant sept jours après le changement d’une adresse e-mail.',
    advice: 'Si vous ne pouvez plus vous connecter à votre compte, contactez votre administrateur.',
  },
  emailBackTaken: {
    heading: 'L’adresse ne peut pas être rétablie',
    sentence:
      'Un autre compte de l’organisation a désormais cette adresse e-mail. Tous les appareils ont été déconnectés.',
    advice:
      'Contactez immédiatement votre administrateur\u00a0: quelqu’un d’autre utilise peut-être votre compte.',
  },
  emailBackOverruled: {
    heading: 'L’adresse n’est pas rétablie',
    sentence:
      'Votre administrateur a depuis donné une autre adresse e-mail à votre compte. Tous les appareils ont été déconnectés. Un mot de passe, des clés d’accès, des comptes liés et la validation en deux étapes ajoutés dans les deux semaines avant le changement, ou depuis, ont été supprimés.',
    advice: 'Connectez-vous avec l’adresse que votre compte a maintenant, ou contactez votre administrateur.',
  },
  emailBackManaged: {
    heading: 'L’adresse ne peut pas être rétablie',
    sentence:
      'Votre organisation gère désormais votre adresse e-mail. Tous les appareils ont été déconnectés.',
    advice:
      'Contactez immédiatement votre administrateur\u00a0: quelqu’un d’autre utilise peut-être votre compte.',
  },
}
