import type { ImpersonationTexts } from '../en/impersonation.js'

export const impersonation: ImpersonationTexts = {
  impersonation: {
    heading: (organization) => `Se connecter en tant qu’utilisateur de ${organization}`,
    sentence:
      'Vous agirez à la place de cet utilisateur dans une application. Vos actions seront consignées à votre nom, et l’application sait que c’est vous.',
    application: 'Application',
    actor: 'Vous',
    reason: 'Motif',
    duration: 'Se termine après',
    minutes: (minutes) => (minutes === 1 ? 'une minute' : `${minutes} minutes`),
    notified: 'L’utilisateur en est informé par e-mail.',
    start: 'Se connecter à sa place',
    hint: 'Ce lien ne fonctionne qu’une fois. Vos propres sessions ne sont pas modifiées.',
  },
  deadImpersonation: {
    heading: 'Ce lien ne fonctionne plus',
    sentence:
      'Il ne fonctionne qu’une fois, pendant cinq minutes. Il a déjà été utilisé ou annulé, ou bien l’utilisateur, l’application ou l’organisation ne le permet pas.',
    advice: 'Retournez là où vous l’avez obtenu et demandez-en un nouveau.',
  },
}
