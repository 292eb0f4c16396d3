import type { AccountTexts } from '../en/account.js'

export const account: AccountTexts = {
  account: {
    heading: 'Votre compte',
    back: 'Retour à votre compte',
    saved: 'Votre modification a été enregistrée.',
    sections: {
      profile: { heading: 'Nom', sentence: 'Votre nom dans les applications.' },
      password: { heading: 'Mot de passe', sentence: 'Choisir un mot de passe ou le changer.' },
      'second-factor': {
        heading: 'Validation en deux étapes',
        sentence: 'Un code de votre téléphone à la connexion, et des codes de secours.',
      },
      passkeys: {
        heading: 'Clés d’accès',
        sentence: 'Vous connecter avec votre empreinte, votre visage ou un code.',
      },
    },
    sessions: { heading: 'Appareils', sentence: 'Là où vous êtes connecté.' },
    profile: {
      labels: { given_name: 'Prénom', family_name: 'Nom de famille', nickname: 'Surnom' },
      button: 'Enregistrer',
      tooLong: '100 caractères au maximum.',
      managed: 'Votre organisation gère votre nom. Demandez à votre administrateur de le modifier.',
      none: '–',
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
