import type { AccountSignInTexts } from '../en/account-sign-in.js'

export const accountSignIn: AccountSignInTexts = {
  accountSignIn: {
    heading: 'Choisissez une organisation',
    sentence: (application) => `Vous pouvez utiliser ${application} avec ces organisations.`,
    used: (when) => `Utilisée ${when}`,
    isNew: 'Pas encore utilisée',
    mayAsk: 'Vous pouvez demander à la rejoindre',
    enter: 'Continuer',
    beyond:
      'Votre organisation n’est pas dans la liste\u00a0? Saisissez le nom court qu’elle vous a communiqué.',
    shortName: 'Nom court de l’organisation',
    noneHeading: 'Aucune organisation trouvée',
    none: (application) => `Aucune organisation ne donne accès à ${application} avec cette adresse e-mail.`,
    noneAdvice:
      'Utilisez une autre adresse, ou demandez aux personnes qui vous ont invité quelle adresse elles ont utilisée.',
    forget: 'Oublier cette adresse sur cet appareil',
    elsewhere: 'Une autre organisation',
    otherAddress: 'Utiliser une autre adresse',
    notOffered: 'Vous ne pouvez pas utiliser cette organisation. Choisissez-en une dans la liste.',
    noSeat:
      'Cette organisation a atteint le nombre de membres qu’elle peut avoir. Adressez-vous à son administrateur, puis réessayez.',
    continueSignIn: {
      heading: (organization) => `Continuez chez ${organization}`,
      sentence: (application) =>
        `Votre organisation exige une étape supplémentaire pour vous connecter à ${application}.`,
      button: 'Continuer',
      unexpected:
        'Si ce n’est pas votre adresse, ou si vous n’avez pas demandé à vous connecter, fermez cette page. Rien ne se passera.',
    },
  },
}
