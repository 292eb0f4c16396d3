import type { AccountTexts } from '../en/account.js'

export const account: AccountTexts = {
  account: {
    heading: 'Votre compte',
    back: 'Retour à votre compte',
    backTo: (application) => `Retour à ${application}`,
    saved: 'Votre modification a été enregistrée.',
    sections: {
      profile: {
        heading: 'Profil',
        sentence: 'Ce que les applications savent de vous\u00a0: nom, langue et adresse.',
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
    delete: {
      sentence:
        'Vous serez déconnecté partout et ne pourrez plus vous connecter avec ce compte. Personne ne peut annuler cette suppression. Pour continuer, saisissez l’adresse e-mail de votre compte.',
      notOffered: 'Vous ne pouvez pas supprimer ce compte vous-même. Demandez à votre administrateur.',
      label: 'Adresse e-mail de votre compte',
      button: 'Supprimer mon compte',
      wrong: 'Ce n’est pas l’adresse e-mail de votre compte.',
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
    },
    secondFactor: {
      notOffered: 'Votre organisation n’utilise pas la validation en deux étapes.',
      none: 'À la connexion, vous saisissez aussi un code de votre téléphone\u00a0: votre mot de passe ou votre messagerie ne suffisent plus.',
      on: {
        totp_mobile_app: 'Activée\u00a0: vous saisissez un code de votre application d’authentification.',
        sms: 'Activée\u00a0: vous saisissez un code reçu par SMS.',
      },
      replace: 'Configurer un nouveau téléphone',
      remove: 'Désactiver',
      demanded:
        'Votre organisation exige la validation en deux étapes\u00a0: elle ne peut pas être désactivée.',
    },
  },
}
