import type { invitation as en } from '../en/invitation.js'

export const invitation: typeof en = {
  invitationPage: {
    heading: (address, organization) => `${organization} a invité ${address}`,
    staffHeading: (address, account) => `${address} est invité à rejoindre la console du compte ${account}`,
    button: 'Accepter l’invitation',
    unexpected:
      'Si vous ne savez pas pourquoi vous avez été invité, fermez cette page. Il ne se passera rien.',
    otherSession: {
      heading: (organization) => `Vous êtes déjà connecté à ${organization}`,
      staffHeading: (account) => `Vous êtes déjà connecté à la console du compte ${account}`,
      sentence: (address) =>
        `L’invitation est destinée à ${address}. Déconnectez-vous pour continuer avec cette adresse.`,
      button: 'Se déconnecter et continuer',
      advice:
        'Si les deux adresses sont les vôtres et que vous ne souhaitez utiliser que celle-ci, fermez cette page.',
    },
    otherAddress: {
      heading: 'L’adresse e-mail est différente',
      sentence: (asserted, invited) =>
        `Vous y êtes connecté avec ${asserted}, mais l’invitation est destinée à ${invited}.`,
      advice:
        'Connectez-vous-y avec l’adresse invitée et rouvrez l’invitation, ou demandez une invitation pour l’adresse que vous utilisez.',
    },
  },
  deadInvitation: {
    heading: 'Cette invitation n’est plus valable',
    sentence:
      'Elle a déjà été utilisée ou retirée, elle a expiré, ou une invitation plus récente vous a été envoyée.',
    advice:
      'Si vous l’avez déjà acceptée, connectez-vous depuis l’application. Sinon, demandez une nouvelle invitation.',
  },
  acceptedInvitation: {
    heading: 'Vous avez déjà accepté cette invitation',
    sentence: 'Vous êtes connecté et n’avez plus besoin de l’invitation.',
    advice: 'Rendez-vous dans l’application pour continuer.',
  },
}
