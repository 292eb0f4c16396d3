import type { PageTexts } from './en.js'
import { accountSignIn } from './fr/account-sign-in.js'
import { consent } from './fr/consent.js'
import { directory } from './fr/directory.js'
import { impersonation } from './fr/impersonation.js'
import { oidcSetup } from './fr/oidc-setup.js'
import { onboarding } from './fr/onboarding.js'
import { secondFactor } from './fr/second-factor.js'
import { sessions } from './fr/sessions.js'
import { signIn } from './fr/sign-in.js'
import { ssoSetup } from './fr/sso-setup.js'
import { sso } from './fr/sso.js'
import { testIdp } from './fr/test-idp.js'

export const fr: PageTexts = {
  ...signIn,
  ...secondFactor,
  ...sessions,
  ...onboarding,
  ...ssoSetup,
  ...sso,
  ...testIdp,
  ...oidcSetup,
  ...directory,
  ...consent,
  ...accountSignIn,
  ...impersonation,
  lang: 'fr',
  name: 'Français',
  links: {
    sign_in: {
      heading: (address, organization) => `Se connecter en tant que ${address} à ${organization}`,
      button: 'Se connecter',
      hint: 'Le lien ne fonctionne qu’une fois. Vous serez redirigé directement vers l’application.',
      unexpected: 'Si vous n’avez rien demandé, fermez cette page\u00a0: rien ne se passera.',
    },
    password: {
      heading: (address, organization) => `Choisir un mot de passe pour ${address} chez ${organization}`,
      button: 'Continuer',
      hint: 'Le lien ne sert qu’une fois. Vous choisirez le mot de passe à la page suivante.',
      unexpected: 'Si vous n’avez pas demandé de mot de passe, fermez cette page\u00a0: rien ne change.',
    },
  },
  linkElsewhere: {
    button: 'Afficher mon code',
    hint: 'Ce n’est pas le navigateur où vous avez demandé le lien. Vous obtenez ici un code, à saisir là-bas.',
  },
  deadLink: {
    heading: 'Ce lien ne fonctionne plus',
    sentence:
      'Un lien de connexion ne sert qu’une fois et pendant quelques minutes, et celui-ci n’est plus utilisable.',
    advice: 'Retournez à l’application à laquelle vous voulez vous connecter et demandez un nouveau lien.',
  },
  deadRelay: {
    heading: 'Cette adresse ne fonctionne plus',
    sentence: 'Elle mène à une autre application une seule fois et aussitôt, et n’est plus utilisable.',
    advice: 'Retournez à l’application d’où vous venez et réessayez.',
  },
  relayEmailTaken: {
    heading: 'Impossible de vous y connecter',
    sentence:
      'Une personne ayant votre adresse e-mail y est déjà connue, et rien ne montre qu’il s’agit de vous.',
    advice: 'Connectez-vous-y directement, ou adressez-vous aux responsables de cette application.',
  },
  relayUserInactive: {
    heading: 'Impossible de vous y connecter',
    sentence: 'Votre compte y est désactivé.',
    advice: 'Adressez-vous aux responsables de cette application.',
  },
  otherBrowser: {
    heading: 'Veuillez recommencer, ou rouvrir le lien',
    sentence:
      'Cette page est restée ouverte trop longtemps, appartient à un autre navigateur, ou le navigateur n’a pas gardé son cookie.',
    advice:
      'Retournez à l’application, ou ouvrez de nouveau le lien de votre message, dans le navigateur avec lequel vous voulez vous connecter.',
  },
  flowOver: {
    heading: 'Cette connexion est terminée',
    sentence: 'Elle a déjà abouti, a duré plus d’une heure, ou a été commencée dans un autre navigateur.',
    advice: 'Retournez à l’application et connectez-vous à partir de là.',
  },
  notSignedIn: {
    heading: 'Vous n’êtes pas connecté',
    sentence:
      'Personne n’est connecté à cette organisation dans ce navigateur, ou la dernière utilisation remonte à plus d’une heure.',
    advice: 'Connectez-vous à partir d’une application, puis revenez ici.',
  },
  noWayToSignIn: {
    heading: 'Personne ne peut encore se connecter ici',
    sentence: 'L’organisation n’a activé aucun moyen de se connecter.',
    advice: 'Adressez-vous aux responsables de l’application.',
  },
  signInRefused: {
    heading: 'Connexion impossible',
    sentence: 'Votre compte, ou votre adresse, n’est pas admis ici pour le moment.',
    advice: 'Adressez-vous aux personnes qui vous ont donné votre compte.',
  },
  tooMany: {
    heading: 'Veuillez patienter un peu',
    sentence: 'Il y a eu trop de tentatives depuis l’endroit où vous êtes.',
    advice: 'Réessayez dans quelques minutes.',
  },
  unreadable: {
    heading: 'Cette demande est illisible',
    sentence: 'Ce qui a été envoyé est trop volumineux, ou n’est pas ce que cette adresse attend.',
    advice:
      'Revenez en arrière et réessayez\u00a0; si le problème persiste, communiquez la référence ci-dessous au responsable de l’application.',
  },
  invalidRequest: {
    heading: 'L’application a envoyé une requête non valide',
    sentence: 'Impossible de continuer\u00a0: l’application d’où vous venez a commis une erreur.',
    advice:
      'Revenez en arrière et réessayez. Si le problème persiste, transmettez la référence ci-dessous aux responsables de l’application.',
  },
  failure: {
    heading: 'Un problème est survenu de notre côté',
    sentence: 'Le service ne peut pas répondre pour le moment.',
    advice: 'Réessayez dans une minute.',
  },
  reference: (requestId) => `Référence\u00a0: ${requestId}`,
  goBack: 'Revenir en arrière',
  backTo: (application) => `Revenir à ${application}`,
  backToSignIn: 'Revenir à la connexion',
  tryAgain: 'Réessayer',
  forDevelopers: 'Pour les développeurs',
  sandbox: 'Bac à sable\u00a0: tests uniquement',
  languages: 'Langue',
  by: (product) => `Connexion par ${product}`,
  legal: 'Mentions légales',
  termsOfService: 'Conditions',
  privacyPolicy: 'Confidentialité',
  help: 'Aide',
  errorTitle: (title) => `Erreur\u00a0: ${title}`,
  later: 'plus tard',
  address: 'Adresse e-mail',
  change: 'Modifier',
  changeWhat: 'l’adresse',
  show: 'Afficher',
  hide: 'Masquer',
  showWhat: 'le mot de passe',
  working: 'Un instant…',
}
