import type { SocialTexts } from '../en/social.js'

export const social: SocialTexts = {
  social: {
    button: (provider) => `Continuer avec ${provider}`,
    denied: 'Vous ne vous y êtes pas connecté. Réessayez ou choisissez une autre méthode.',
    lastUsed: 'Utilisé en dernier dans ce navigateur\u00a0:',
  },
  socialProvider: {
    heading: (provider) => `Continuer avec ${provider}`,
    sentence: (provider) => `Vous allez être redirigé vers ${provider}.`,
    again: (provider) =>
      `Vous avez été redirigé vers ${provider}. Continuez là-bas ou choisissez une autre méthode.`,
    button: (provider) => `Aller vers ${provider}`,
    otherWay: 'Se connecter autrement',
  },
  proveAddress: {
    heading: 'Confirmez votre adresse e-mail',
    sentence:
      'Nous vous avons envoyé un e-mail avec un code à 6\u00a0chiffres. Saisissez-le ici pour continuer.',
    codeLabel: 'Code à 6 chiffres',
    button: 'Continuer',
    nameSentence: 'Il nous faut une adresse e-mail à laquelle vous recevez du courrier.',
    label: 'Adresse e-mail',
    nameButton: 'M’envoyer un code',
    nothingArrived: 'Rien reçu\u00a0? Regardez d’abord dans vos courriers indésirables.',
    resend: 'Envoyer un nouveau code',
    resent: 'Nous vous avons envoyé un nouveau code. Seul le dernier fonctionne.',
    faults: {
      missing: 'Saisissez votre adresse e-mail.',
      invalid: 'Saisissez une adresse e-mail valide, par exemple nom@exemple.fr.',
      not_allowed:
        'Les adresses e-mail de ce domaine ne sont pas acceptées ici. Saisissez celle que votre organisation vous a donnée.',
      wrong_code: 'Code incorrect. Vérifiez-le et réessayez.',
      code_over: 'Ce code a expiré. Demandez-en un nouveau.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_mails: (wait) => `Nous vous avons déjà envoyé plusieurs e-mails. Réessayez ${wait}.`,
    },
  },
  linkAccount: {
    heading: 'Vous avez déjà un compte',
    sentence: (provider) =>
      `Un compte avec votre adresse e-mail existe ici. Connectez-vous-y une fois pour l’associer à ${provider}. Ensuite, ${provider} vous connectera.`,
    button: (provider) => `Se connecter et associer ${provider}`,
    mailLink: (provider) => `M’envoyer un lien et associer ${provider}`,
    passkey: (provider) => `Utiliser une clé d’accès et associer ${provider}`,
    noWay: 'Personne ne peut se connecter à ce compte ici. Adressez-vous aux responsables de l’application.',
  },
  linked: {
    what: 'Vous pouvez vous connecter ici avec un compte que vous avez ailleurs.',
    notOffered: 'Votre organisation n’utilise pas d’autres fournisseurs.',
    lastUsed: (ago) => `Dernière utilisation ${ago}.`,
    link: (provider) => `Associer ${provider}`,
    unlink: 'Dissocier',
    unlinkSentence: 'Il ne vous connectera plus ici, et vous serez déconnecté de tous vos autres appareils.',
    unlinkButton: 'Dissocier ce compte',
    faults: {
      denied: 'Vous ne vous y êtes pas connecté : rien n’a été associé.',
      taken: 'Ce compte connecte déjà quelqu’un d’autre ici. Choisissez-en un autre.',
      refused: 'Ce compte n’a pas pu être associé. Réessayez.',
      unavailable: 'Vous ne pouvez pas utiliser ce fournisseur pour le moment.',
      last: 'Sans ce compte, vous ne pourriez plus vous connecter. Définissez un mot de passe ou ajoutez une clé d’accès d’abord.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
    },
  },
  socialRefused: {
    heading: 'Connexion impossible',
    sentence: 'Nous n’avons pas pu accepter la connexion avec ce fournisseur.',
    advice:
      'Réessayez ou connectez-vous autrement. Si le problème persiste, envoyez la référence ci-dessous aux responsables de l’application.',
  },
  socialUnavailable: {
    heading: 'Ce fournisseur n’est pas disponible',
    sentence: 'Vous ne pouvez pas vous connecter avec ce fournisseur pour le moment.',
    advice: 'Revenez en arrière et connectez-vous autrement.',
  },
  unknownSocialProvider: {
    heading: 'Page introuvable',
    sentence: 'Aucun fournisseur ne correspond à cette adresse.',
    advice: 'Comparez l’adresse à l’URI de redirection du fournisseur.',
  },
  testProvider: {
    heading: 'Fournisseur de test',
    sentence:
      'Il connecte toute personne que vous nommez, sans mot de passe. Il n’existe que dans le bac à sable.',
    subject: 'Compte chez le fournisseur',
    email: 'Adresse e-mail',
    verified: 'Le fournisseur se porte garant de l’adresse',
    fault: 'Réponse à envoyer',
    button: 'Continuer',
    invalid: 'Saisissez une adresse e-mail valide et le nom d’un compte.',
    faults: {
      none: 'Une réponse correcte',
      denied: 'L’utilisateur refuse',
      no_email: 'Sans adresse',
      private_relay: 'Avec une adresse relais qui masque celle-ci',
      other_subject_same_email: 'D’un autre compte avec cette adresse',
      wrong_state: 'Avec un autre state',
      wrong_nonce: 'Avec un autre nonce',
      wrong_audience: 'Pour un autre client',
      wrong_issuer: 'D’un autre émetteur',
      expired: 'Expirée',
      unsigned: 'Non signée',
      invalid_client: 'Notre client est refusé',
      token_endpoint_down: 'Le point de terminaison des jetons ne répond pas',
    },
  },
}
