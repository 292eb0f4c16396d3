import type { SignInTexts } from '../en/sign-in.js'

export const signIn: SignInTexts = {
  identifier: {
    heading: 'Se connecter',
    headingFor: (application) => `Se connecter à ${application}`,
    headingForAccount: 'Se connecter à votre compte',
    label: 'Adresse e-mail',
    button: 'Continuer',
    signUp: 'Première visite\u00a0? Saisissez votre adresse e-mail pour créer un compte.',
    agreement: {
      both: 'En créant un compte, vous acceptez les {terms} et la {privacy}.',
      terms: 'En créant un compte, vous acceptez les {terms}.',
      privacy: 'En créant un compte, vous acceptez la {privacy}.',
    },
    terms: 'conditions d’utilisation',
    privacy: 'politique de confidentialité',
    faults: {
      missing: 'Saisissez votre adresse e-mail.',
      invalid: 'Saisissez une adresse e-mail valide, par exemple nom@exemple.fr.',
      not_allowed:
        'Les adresses de ce domaine ne sont pas admises ici. Saisissez celle que votre organisation vous a donnée.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      passkey_refused:
        'Cette clé d’accès n’a pas permis de vous connecter. Réessayez ou saisissez votre adresse e-mail.',
      passkey_elsewhere:
        'Cette clé d’accès est celle d’une autre organisation. Choisissez-en une autre ou saisissez votre adresse e-mail.',
      passkey_only: 'Votre organisation vous connecte avec une clé d’accès. Utilisez le bouton ci-dessous.',
    },
  },
  password: {
    heading: 'Saisissez votre mot de passe',
    label: 'Mot de passe',
    button: 'Se connecter',
    forgot: 'Mot de passe oublié\u00a0?',
    or: 'ou',
    mailLink: 'Recevoir un lien de connexion par e\u2011mail',
    isNew: 'Votre mot de passe a été modifié. Connectez-vous avec le nouveau.',
    faults: {
      missing: 'Saisissez votre mot de passe.',
      wrong: 'Adresse e-mail ou mot de passe incorrect. Réessayez.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_mails: (wait) => `Nous vous avons déjà envoyé plusieurs e-mails. Réessayez ${wait}.`,
    },
  },
  linkSent: {
    heading: 'Consultez vos e-mails',
    sentences: {
      sign_in:
        'Si vous pouvez vous connecter avec cette adresse, nous vous avons envoyé un e-mail contenant un lien de connexion.',
      password:
        'Si vous pouvez vous connecter avec cette adresse, nous vous avons envoyé un e-mail contenant un lien pour choisir un mot de passe.',
    },
    advice: {
      sign_in: 'Ouvrez le lien dans ce navigateur pour vous connecter.',
      password: 'Ouvrez le lien et choisissez votre mot de passe pour vous connecter.',
    },
    codeHeading: 'Saisissez le code',
    codeSentence:
      'Vous avez ouvert le lien dans un autre navigateur. Saisissez le code à 6 chiffres qui s’y affiche.',
    otherDevice: 'Lien ouvert sur un autre appareil\u00a0?',
    codeHint: 'Saisissez le code à 6 chiffres qui s’y affiche.',
    label: 'Code à 6 chiffres',
    button: 'Continuer',
    nothingArrived: 'Pas d’e-mail\u00a0? Vérifiez d’abord vos courriers indésirables.',
    resend: 'Envoyer un nouveau lien',
    resent: 'Nous vous avons envoyé un nouveau lien. Seul le plus récent fonctionne.',
    faults: {
      wrong_code: 'Code incorrect. Vérifiez-le et réessayez.',
      code_over: 'Ce code a expiré. Demandez un nouveau lien et ouvrez-le.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_mails: (wait) => `Nous vous avons déjà envoyé plusieurs e-mails. Réessayez ${wait}.`,
    },
  },
  linkCode: {
    heading: 'Saisissez ce code dans votre autre navigateur',
    label: 'Votre code',
    sentence: (application) =>
      `Il vous connecte à ${application} dans le navigateur où vous avez demandé le lien. Il est valable une seule fois, pendant 10 minutes.`,
    warning:
      'Ne communiquez ce code à personne. Quiconque vous le demande cherche à se connecter à votre place.',
  },
  setPassword: {
    heading: 'Choisissez un mot de passe',
    renewalHeading: 'Choisissez un nouveau mot de passe',
    renewal: 'Votre mot de passe doit être remplacé. Choisissez-en un nouveau pour continuer.',
    offer:
      'Vous pouvez vous connecter avec un mot de passe. Sinon, nous vous enverrons un lien à chaque fois.',
    label: 'Nouveau mot de passe',
    length: (min, max) => `De ${min} à ${max} caractères\u00a0; les espaces sont autorisés`,
    guessable: 'Ni votre nom, ni votre adresse, ni un mot de passe courant',
    tip: 'Quatre mots sans rapport entre eux sont faciles à retenir et difficiles à deviner.',
    button: 'Enregistrer le mot de passe',
    notNow: 'Plus tard',
    wrongLength: (min, max) => `Votre mot de passe doit comporter de ${min} à ${max} caractères.`,
    faults: {
      too_personal:
        'Ce mot de passe ressemble trop à votre nom, à votre adresse ou à votre organisation. Choisissez-en un autre.',
      too_common: 'Ce mot de passe est trop courant et facile à deviner. Choisissez-en un autre.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
    },
    doneHeading: 'Votre mot de passe a été enregistré',
    done: 'Retournez dans l’application et connectez-vous avec votre nouveau mot de passe. Vous pouvez fermer cette page.',
    kept: 'Ces clés d’accès de votre compte restent valables. Supprimez celles que vous ne connaissez pas\u00a0:',
    review: 'Vérifier vos clés d’accès',
    next: 'Poursuivre la connexion',
  },
  ready: {
    heading: 'Connexion réussie',
    sentence: 'Vous pouvez maintenant accéder à votre application.',
    button: (application) => `Continuer vers ${application}`,
    elsewhere: (application) => `Continuez dans ${application}`,
  },
  formPost: {
    heading: 'Retour à l’application',
    sentence: (host) => `Vous êtes redirigé vers ${host}.`,
    button: 'Continuer',
  },
}
