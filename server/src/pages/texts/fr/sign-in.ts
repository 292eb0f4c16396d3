import type { SignInTexts } from '../en/sign-in.js'

export const signIn: SignInTexts = {
  identifier: {
    heading: 'Se connecter',
    headingFor: (application) => `Se connecter à ${application}`,
    label: 'Adresse e-mail',
    button: 'Continuer',
    signUp:
      'Première visite\u00a0? Continuez avec votre adresse e-mail, et votre compte sera créé au passage.',
    agreement: {
      both: 'En créant un compte, vous acceptez les {terms} et la {privacy}.',
      terms: 'En créant un compte, vous acceptez les {terms}.',
      privacy: 'En créant un compte, vous acceptez la {privacy}.',
    },
    terms: 'conditions d’utilisation',
    privacy: 'politique de confidentialité',
    faults: {
      missing: 'Saisissez votre adresse e-mail.',
      invalid: 'Cette adresse e-mail est incomplète. Saisissez-la sous la forme nom@exemple.fr.',
      not_allowed:
        'Les adresses de ce domaine ne sont pas admises ici. Saisissez celle que votre organisation vous a donnée.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
    },
  },
  password: {
    heading: 'Saisissez votre mot de passe',
    label: 'Mot de passe',
    button: 'Se connecter',
    forgot: 'Mot de passe oublié ou jamais choisi\u00a0?',
    or: 'ou',
    mailLink: 'Recevoir un lien par e\u2011mail',
    isNew: 'Votre nouveau mot de passe est enregistré. Connectez-vous avec.',
    faults: {
      missing: 'Saisissez votre mot de passe.',
      wrong: 'Adresse e-mail ou mot de passe incorrect. Réessayez.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_mails: (wait) => `Plusieurs messages sont déjà en route. Redemandez-en un ${wait}.`,
    },
  },
  linkSent: {
    heading: 'Consultez vos e-mails',
    sentences: {
      sign_in:
        'Si vous pouvez vous connecter ici avec cette adresse, un message avec un lien de connexion est en route.',
      password:
        'Si vous pouvez vous connecter ici avec cette adresse, un message avec un lien pour choisir un mot de passe est en route.',
    },
    advice: {
      sign_in: 'Ouvrez le lien dans ce navigateur, et la connexion se fera.',
      password: 'Ouvrez le lien, choisissez votre mot de passe, et la connexion se poursuit.',
    },
    codeHeading: 'Saisissez le code',
    codeSentence:
      'Votre lien a été ouvert dans un autre navigateur. Il y affiche un code à 6 chiffres\u00a0: saisissez-le ici.',
    otherDevice: 'Ouvert sur un autre appareil\u00a0?',
    codeHint: 'Il y affiche un code à 6 chiffres. Saisissez-le ici.',
    label: 'Code à 6 chiffres',
    button: 'Continuer',
    nothingArrived: 'Rien reçu\u00a0? Regardez d’abord dans les courriers indésirables.',
    resend: 'Envoyer un autre lien',
    resent: 'Un autre lien est en route. Seul le plus récent fonctionne.',
    faults: {
      wrong_code: 'Ce n’est pas le bon code. Vérifiez-le et saisissez-le de nouveau.',
      code_over: 'Ce code n’est plus valable. Faites envoyer un autre lien et ouvrez-le.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_mails: (wait) => `Plusieurs messages sont déjà en route. Redemandez-en un ${wait}.`,
    },
  },
  linkCode: {
    heading: 'Saisissez ce code là où vous avez commencé',
    label: 'Votre code',
    sentence: (application) =>
      `Il vous connecte à ${application} dans le navigateur où vous avez demandé le lien. Il ne sert qu’une fois, pendant 10 minutes.`,
    warning: 'Ne le donnez à personne. Qui vous le demande veut se connecter à votre place.',
  },
  setPassword: {
    heading: 'Choisissez un mot de passe',
    renewalHeading: 'Choisissez un nouveau mot de passe',
    renewal: 'Vous y êtes presque. Votre mot de passe est à remplacer, et c’est le bon moment.',
    label: 'Nouveau mot de passe',
    length: (min, max) => `De ${min} à ${max} caractères\u00a0; les espaces sont les bienvenus`,
    guessable: 'Ni votre nom, ni votre adresse, ni un mot de passe courant',
    tip: 'Quatre mots sans rapport entre eux sont faciles à retenir et difficiles à deviner.',
    button: 'Enregistrer',
    notNow: 'Plus tard',
    wrongLength: (min, max) => `Votre mot de passe doit avoir de ${min} à ${max} caractères.`,
    faults: {
      too_personal:
        'Ce mot de passe ne contient guère que des noms connus des autres. Choisissez-en un sans rapport avec vous.',
      too_common: 'Ce mot de passe est de ceux que l’on devine en premier. Choisissez-en un autre.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
    },
    doneHeading: 'Votre mot de passe est enregistré',
    done: 'Retournez à l’application et connectez-vous avec. Vous pouvez fermer cette page.',
  },
  ready: {
    heading: 'Connexion réussie',
    sentence: 'C’est tout. Votre application vous attend.',
    button: (application) => `Continuer vers ${application}`,
    elsewhere: (application) => `Continuez dans ${application}`,
  },
  formPost: {
    heading: 'Retour à l’application',
    sentence: (host) => `Vous êtes redirigé vers ${host}.`,
    button: 'Continuer',
  },
}
