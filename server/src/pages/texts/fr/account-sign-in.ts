import type { AccountSignInTexts } from '../en/account-sign-in.js'

export const accountSignIn: AccountSignInTexts = {
  accountSignIn: {
    heading: 'Choisissez une organisation',
    sentence: (application) => `Vous pouvez utiliser ${application} avec celles-ci.`,
    used: (when) => `Utilisée ${when}`,
    isNew: 'Nouvelle pour vous',
    enter: 'Continuer',
    beyond:
      'Elle n’y figure pas\u00a0? Saisissez son nom court, tel que votre organisation vous l’a communiqué.',
    shortName: 'Nom court de l’organisation',
    noneHeading: 'Aucune organisation n’a cette adresse',
    none: (application) => `Personne ne peut utiliser ${application} avec cette adresse.`,
    noneAdvice:
      'Utilisez une autre adresse, ou demandez aux personnes qui vous ont invité laquelle elles connaissent.',
    forget: 'Oublier cette adresse dans ce navigateur',
    elsewhere: 'Une autre organisation',
    otherAddress: 'Utiliser une autre adresse',
    notOffered: 'Vous ne pouvez pas utiliser cette organisation. Choisissez-en une de la liste.',
    continueSignIn: {
      heading: (organization) => `Continuez chez ${organization}`,
      sentence: (application) =>
        `Pour vous connecter à ${application}, votre organisation demande autre chose.`,
      button: 'Continuer',
      unexpected:
        'Si ce n’est pas votre adresse, ou si vous n’avez pas demandé à vous connecter, fermez cette page\u00a0: il ne se passera rien.',
    },
  },
}
