import type { PageTexts } from './en.js'

export const fr: PageTexts = {
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
    heading: 'Veuillez rouvrir le lien',
    sentence: 'Cette page est restée ouverte trop longtemps, ou le navigateur n’a pas gardé son cookie.',
    advice:
      'Ouvrez de nouveau le lien de votre message, dans le navigateur avec lequel vous voulez vous connecter.',
  },
  failure: {
    heading: 'Un problème est survenu de notre côté',
    sentence: 'Le service ne peut pas répondre pour le moment.',
    advice: 'Réessayez dans une minute.',
  },
  reference: (requestId) => `Référence\u00a0: ${requestId}`,
  sandbox: 'Bac à sable\u00a0: pour les tests uniquement',
  languages: 'Langue',
  by: (product) => `Connexion par ${product}`,
}
