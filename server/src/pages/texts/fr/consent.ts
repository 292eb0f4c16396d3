import type { ConsentTexts } from '../en/consent.js'

export const consent: ConsentTexts = {
  consent: {
    heading: (application, organization) =>
      `Autoriser ${application} à accéder à votre compte chez ${organization}\u00a0?`,
    change: 'Ce n’est pas vous\u00a0?',
    sentence: 'L’application pourra\u00a0:',
    abilities: {
      openid: 'Confirmer votre identité',
      profile: 'Voir votre nom, votre photo et votre langue',
      email: 'Voir votre adresse e-mail',
      phone: 'Voir votre numéro de téléphone',
      address: 'Voir votre adresse postale',
      offline_access: 'Conserver l’accès jusqu’à ce que vous ou votre administrateur le révoquiez',
    },
    returns: {
      toSite: (host) => `Vous reviendrez ensuite sur ${host}.`,
      toComputer: 'Vous reviendrez ensuite dans une application de cet ordinateur.',
      toApp: (scheme) =>
        `Vous reviendrez ensuite dans l’application de cet appareil qui ouvre les liens «\u00a0${scheme}\u00a0».`,
    },
    allow: 'Autoriser',
    refuse: 'Refuser',
  },
}
