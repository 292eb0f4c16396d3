import type { PageTexts } from './en.js'
import { account, emailLink } from './fr/account.js'
import { accountSignIn } from './fr/account-sign-in.js'
import { consent } from './fr/consent.js'
import { directory } from './fr/directory.js'
import { emailDomains } from './fr/email-domains.js'
import { impersonation } from './fr/impersonation.js'
import { invitation } from './fr/invitation.js'
import { joinRequests } from './fr/join-requests.js'
import { joining } from './fr/joining.js'
import { oidcSetup } from './fr/oidc-setup.js'
import { onboarding } from './fr/onboarding.js'
import { passkeys } from './fr/passkeys.js'
import { roleRules } from './fr/role-rules.js'
import { secondFactor } from './fr/second-factor.js'
import { sessions } from './fr/sessions.js'
import { signIn } from './fr/sign-in.js'
import { social } from './fr/social.js'
import { ssoSetup } from './fr/sso-setup.js'
import { sso } from './fr/sso.js'
import { testIdp } from './fr/test-idp.js'

export const fr: PageTexts = {
  ...signIn,
  ...secondFactor,
  ...passkeys,
  ...sessions,
  ...onboarding,
  ...ssoSetup,
  ...sso,
  ...social,
  ...testIdp,
  ...oidcSetup,
  ...directory,
  ...emailDomains,
  ...roleRules,
  ...consent,
  ...account,
  ...emailLink,
  ...accountSignIn,
  ...impersonation,
  ...invitation,
  ...joining,
  ...joinRequests,
  lang: 'fr',
  name: 'Français',
  links: {
    sign_in: {
      heading: (address, organization) => `Se connecter à ${organization} en tant que ${address}`,
      button: 'Se connecter',
      hint: 'Ce lien ne fonctionne qu’une fois et poursuit votre connexion.',
      unexpected: 'Si vous n’avez pas demandé à vous connecter, fermez cette page. Rien ne se passera.',
    },
    password: {
      heading: (address, organization) => `Choisir un mot de passe pour ${address} chez ${organization}`,
      button: 'Continuer',
      hint: 'Ce lien ne fonctionne qu’une fois. Vous choisirez le mot de passe à la page suivante.',
      unexpected: 'Si vous n’avez pas demandé de nouveau mot de passe, fermez cette page. Rien ne changera.',
    },
  },
  linkElsewhere: {
    button: 'Afficher mon code',
    hint: 'Vous avez demandé ce lien dans un autre navigateur. Nous allons afficher un code à y saisir.',
  },
  deadLink: {
    heading: 'Ce lien ne fonctionne plus',
    sentence: 'Un lien de connexion ne fonctionne qu’une fois, pendant quelques minutes.',
    advice: 'Retournez dans l’application et demandez un nouveau lien.',
  },
  deadRelay: {
    heading: 'Ce lien ne fonctionne plus',
    sentence: 'Il ne fonctionne qu’une fois, pendant un court instant.',
    advice: 'Retournez dans l’application d’où vous venez et réessayez.',
  },
  relayEmailTaken: {
    heading: 'Impossible de vous y connecter',
    sentence:
      'Un compte avec votre adresse e-mail y existe déjà, et nous ne pouvons pas confirmer qu’il s’agit du vôtre.',
    advice: 'Connectez-vous-y directement, ou adressez-vous aux responsables de cette application.',
  },
  relayUserInactive: {
    heading: 'Impossible de vous y connecter',
    sentence: 'Votre compte y est désactivé.',
    advice: 'Adressez-vous aux responsables de cette application.',
  },
  otherBrowser: {
    heading: 'Veuillez recommencer',
    sentence:
      'Cette page est restée ouverte trop longtemps, appartient à un autre navigateur, ou votre navigateur a bloqué son cookie.',
    advice:
      'Retournez dans l’application, ou ouvrez de nouveau le lien de votre e-mail, dans le navigateur avec lequel vous voulez vous connecter.',
  },
  flowOver: {
    heading: 'Cette connexion a expiré',
    sentence: 'Elle a déjà abouti, a duré plus d’une heure ou a été commencée dans un autre navigateur.',
    advice: 'Retournez dans l’application et connectez-vous à nouveau.',
  },
  notSignedIn: {
    heading: 'Vous n’êtes pas connecté',
    sentence: 'Vous n’êtes pas connecté à cette organisation dans ce navigateur, ou votre session a expiré.',
    advice: 'Connectez-vous à partir d’une application, puis revenez ici.',
  },
  noWayToSignIn: {
    heading: 'La connexion n’est pas encore configurée',
    sentence: 'Cette organisation n’a activé aucun moyen de connexion.',
    advice: 'Adressez-vous aux responsables de l’application.',
  },
  signInRefused: {
    heading: 'Connexion impossible',
    sentence: 'Votre compte ou votre adresse e-mail ne peut pas être utilisé ici pour le moment.',
    advice: 'Contactez votre administrateur.',
  },
  noSeat: {
    heading: 'Il n’y a pas encore de place pour vous',
    sentence: 'L’organisation a atteint le nombre de membres qu’elle peut avoir.',
    advice:
      'Adressez-vous à votre administrateur ou à la personne qui vous a invité, puis réessayez. Une invitation reste valable d’ici là.',
  },
  tooMany: {
    heading: 'Trop de tentatives',
    sentence: 'Il y a eu trop de tentatives depuis votre réseau.',
    advice: 'Réessayez dans quelques minutes.',
  },
  unreadable: {
    heading: 'Nous n’avons pas pu lire cette requête',
    sentence: 'Elle est trop volumineuse, ou n’a pas le format attendu.',
    advice:
      'Revenez en arrière et réessayez. Si le problème persiste, transmettez la référence ci-dessous aux responsables de l’application.',
  },
  invalidRequest: {
    heading: 'L’application a envoyé une requête non valide',
    sentence: 'Impossible de continuer\u00a0: l’application d’où vous venez a commis une erreur.',
    advice:
      'Revenez en arrière et réessayez. Si le problème persiste, transmettez la référence ci-dessous aux responsables de l’application.',
  },
  failure: {
    heading: 'Une erreur est survenue',
    sentence: 'Le problème vient de notre côté.',
    advice: 'Réessayez dans une minute.',
  },
  reference: (requestId) => `Référence\u00a0: ${requestId}`,
  goBack: 'Revenir en arrière',
  backTo: (application) => `Revenir à ${application}`,
  backToSignIn: 'Revenir à la connexion',
  tryAgain: 'Réessayer',
  tryAgainWhen: (wait) => `Réessayez ${wait}.`,
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
