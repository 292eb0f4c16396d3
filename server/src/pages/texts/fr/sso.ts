import type { SsoTexts } from '../en/sso.js'

export const sso: SsoTexts = {
  identityProvider: {
    heading: 'Vous vous connectez auprès de votre organisation',
    sentence: 'Vous allez être dirigé vers la page de connexion de votre organisation, puis ramené ici.',
    again: 'Continuez vers la page de connexion de votre organisation, ou choisissez une autre adresse.',
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
    sentence: 'Votre organisation a répondu, mais sa réponse n’a pas pu être acceptée.',
    advice:
      'Réessayez depuis l’application\u00a0; si cela persiste, donnez la référence ci-dessous à votre service informatique.',
  },
  ssoTooLarge: {
    heading: 'Connexion impossible',
    sentence: 'La réponse de votre organisation est plus volumineuse que ce que nous acceptons.',
    advice:
      'Un nouvel essai n’y changera rien\u00a0: donnez la référence ci-dessous à votre service informatique.',
  },
  ssoTooMany: {
    heading: 'Veuillez patienter un peu',
    sentence:
      'Trop de réponses de votre organisation sont venues de votre réseau au cours des dernières minutes.',
    advice:
      'Réessayez dans un quart d’heure\u00a0; si cela persiste, prévenez votre service informatique. Votre compte n’est pas en cause.',
  },
  ssoUnavailable: {
    heading: 'Cette connexion n’est pas possible en ce moment',
    sentence: 'La connexion par votre organisation est désactivée ou n’est pas configurée.',
    advice: 'Adressez-vous à votre service informatique en lui donnant la référence ci-dessous.',
  },
  deadSsoLink: {
    heading: 'Cette adresse ne fonctionne plus',
    sentence: 'Elle ne fonctionne qu’une fois et pendant quelques minutes.',
    advice: 'Retournez à l’application et connectez-vous à partir de là.',
  },
  unknownConnection: {
    heading: 'Il n’y a rien ici',
    sentence: 'Aucune connexion à un fournisseur d’identité n’a cette adresse.',
    advice: 'Comparez l’adresse avec celle que la connexion affiche.',
  },
}
