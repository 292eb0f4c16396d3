import type { SsoTexts } from '../en/sso.js'

export const sso: SsoTexts = {
  identityProvider: {
    heading: 'Connectez-vous avec votre organisation',
    sentence: 'Nous vous dirigeons vers la page de connexion de votre organisation, puis vous ramenons ici.',
    again: 'Continuez vers la page de connexion de votre organisation, ou utilisez une autre adresse.',
    button: 'Continuer vers mon organisation',
    otherAddress: 'Utiliser une autre adresse',
  },
  ssoButton: 'Continuer avec l’authentification unique',
  ssoReturn: {
    heading: 'Un instant',
    sentence: 'Connexion en cours.',
    button: 'Continuer',
  },
  ssoRefused: {
    heading: 'Connexion impossible',
    sentence: 'Nous n’avons pas pu accepter la réponse de votre organisation.',
    advice:
      'Réessayez depuis l’application. Si le problème persiste, transmettez la référence ci-dessous à votre service informatique.',
  },
  ssoTooLarge: {
    heading: 'Connexion impossible',
    sentence: 'La réponse de votre organisation est trop volumineuse.',
    advice: 'Réessayer n’y changera rien. Transmettez la référence ci-dessous à votre service informatique.',
  },
  ssoTooMany: {
    heading: 'Trop de tentatives',
    sentence: 'Il y a eu trop de tentatives de connexion depuis votre réseau au cours des dernières minutes.',
    advice:
      'Réessayez dans 15 minutes. Si le problème persiste, prévenez votre service informatique. Votre compte n’est pas en cause.',
  },
  ssoUnavailable: {
    heading: 'L’authentification unique n’est pas disponible',
    sentence: 'L’authentification unique de votre organisation est désactivée ou n’est pas configurée.',
    advice: 'Contactez votre service informatique et transmettez-lui la référence ci-dessous.',
  },
  deadSsoLink: {
    heading: 'Ce lien ne fonctionne plus',
    sentence: 'Il ne fonctionne qu’une fois, pendant quelques minutes.',
    advice: 'Retournez dans l’application et connectez-vous à nouveau.',
  },
  unknownConnection: {
    heading: 'Page introuvable',
    sentence: 'Il n’y a pas de connexion SSO à cette adresse.',
    advice: 'Comparez l’adresse avec celle qu’affiche la connexion.',
  },
}
