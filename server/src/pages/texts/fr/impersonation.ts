import type { ImpersonationTexts } from '../en/impersonation.js'

export const impersonation: ImpersonationTexts = {
  impersonation: {
    heading: (organization) => `Se connecter en tant qu’utilisateur de ${organization}`,
    sentence:
      'Vous agirez à la place de cet utilisateur dans une application. Ce que vous y ferez sera consigné à votre nom, et l’application montre que c’est vous.',
    application: 'Application',
    actor: 'Vous',
    reason: 'Motif',
    duration: 'Se termine après',
    minutes: (minutes) => (minutes === 1 ? 'une minute' : `${minutes} minutes`),
    notified: 'L’utilisateur en est informé par e-mail.',
    start: 'Se connecter à sa place',
    hint: 'L’adresse ne fonctionne qu’une fois. Là où vous êtes vous-même connecté, vous le restez.',
  },
  deadImpersonation: {
    heading: 'Cette adresse ne fonctionne plus',
    sentence:
      'Elle ne sert qu’une fois, pendant cinq minutes, et n’est plus utilisable\u00a0: elle a déjà servi ou a été annulée, ou bien l’utilisateur, l’application ou l’organisation ne le permet pas.',
    advice: 'Retournez là où vous l’avez obtenue et demandez-en une nouvelle.',
  },
}
