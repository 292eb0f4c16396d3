import type { Notice } from '../jobs/job-names.js'
import type { LinkPurpose } from '../../platform/link-purpose.js'

/** The texts of the mails in one language. */
export interface MailTexts {
  /** By the purpose of the link. */
  readonly links: Readonly<Record<LinkPurpose, LinkTexts>>
  readonly adminInvitation: AdminInvitationTexts
  readonly plainLink: string
  readonly notices: Readonly<Record<Notice, NoticeTexts>>
  readonly unexpectedNotice: (organization: string) => string
  readonly adminCode: AdminCodeTexts
  readonly metadataNotice: MetadataNoticeTexts
  readonly clientNotice: MetadataNoticeTexts
  readonly impersonation: ImpersonationTexts
  readonly sandbox: string
  readonly sentBy: (product: string, organization: string) => string
}

/** The texts of a mail with a link. */
export interface LinkTexts {
  readonly subject: (organization: string) => string
  readonly invitation: (organization: string) => string
  readonly button: string
  readonly lifetime: (minutes: number) => string
  readonly unexpected: string
}

interface AdminInvitationTexts {
  readonly subject: (organization: string) => string
  /** Names the inviting organization, and the service that its users sign in to. */
  readonly invitation: (organization: string, service: string) => string
  readonly button: string
  readonly lifetime: (days: number) => string
  readonly unexpected: string
}

interface NoticeTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string) => string
}

interface AdminCodeTexts {
  readonly subject: (organization: string) => string
  readonly instruction: (organization: string) => string
  readonly lifetime: (minutes: number) => string
  readonly unexpected: string
}

interface MetadataNoticeTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string, connection: string) => string
  readonly inUse: string
  readonly waits: string
  readonly unexpected: string
}

interface ImpersonationTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string, moment: string, minutes: number) => string
  readonly allowed: string
  readonly unexpected: (organization: string) => string
}

const en: MailTexts = {
  links: {
    sign_in: {
      subject: (organization) => `Sign in to ${organization}`,
      invitation: (organization) => `Use this link to sign in to ${organization}:`,
      button: 'Sign in',
      lifetime: (minutes) =>
        `The link works once, for ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Do not share it: whoever opens it signs in as you.`,
      unexpected:
        'If you did not ask for this, ignore this message. Nobody can sign in without the link, and nothing has changed.',
    },
    password: {
      subject: (organization) => `Choose a password for ${organization}`,
      invitation: (organization) => `Use this link to choose a new password for ${organization}:`,
      button: 'Choose a password',
      lifetime: (minutes) =>
        `The link works once, for ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Do not share it: whoever opens it chooses your password.`,
      unexpected:
        'If you did not ask for this, ignore this message. Your password stays as it is, and nobody can change it without the link.',
    },
  },
  adminInvitation: {
    subject: (organization) => `Set up single sign-on for ${organization}`,
    invitation: (organization, service) =>
      `The people who run ${service} ask you to connect the identity provider of ${organization} to it, so that everybody there signs in to ${service} with the account they have. Use this link to begin, or to go on where you stopped:`,
    button: 'Set up single sign-on',
    lifetime: (days) =>
      `The link works for ${days === 1 ? 'one day' : `${days} days`}, as often as you need it. Do not share it. In a new browser we mail you a code as well.`,
    unexpected:
      'If you are not in charge of this, open the link, enter the code, and say so. If it means nothing to you, ignore this message: nothing has changed.',
  },
  plainLink: 'If the button does not work, copy this address into your browser:',
  notices: {
    password_set: {
      subject: (organization) => `Your password for ${organization} was set`,
      told: (organization) =>
        `A password was set for your account at ${organization}. If there was one before, it does not work any more.`,
    },
    recovery_code_used: {
      subject: (organization) => `A recovery code was used to sign in to ${organization}`,
      told: (organization) =>
        `One of your recovery codes for ${organization} stood in for a code of your phone. It cannot be used again.`,
    },
    totp_enrolled: {
      subject: (organization) => `A second factor was set up at ${organization}`,
      told: (organization) =>
        `A second factor was set up for your account at ${organization}. From now on a code is asked for when you sign in.`,
    },
    totp_enrollment_forced: {
      subject: (organization) => `A new second factor was asked for at ${organization}`,
      told: (organization) =>
        `Somebody has begun to set up a new second factor for your account at ${organization}. The present one works until the new one is confirmed.`,
    },
  },
  unexpectedNotice: (organization) =>
    `If this was not you, tell the people who run ${organization} at once: somebody else may be using your account.`,
  adminCode: {
    subject: (organization) => `Your code to set up single sign-on for ${organization}`,
    instruction: (organization) =>
      `You have opened the invitation to set up single sign-on for ${organization}. Enter this code there:`,
    lifetime: (minutes) =>
      `It works for ${minutes === 1 ? 'one minute' : `${minutes} minutes`}, in the browser that asked for it. Do not tell it to anybody.`,
    unexpected:
      'If you did not open the invitation, somebody else has the link. Nobody gets in without this code; ask the people who invited you for a new invitation.',
  },
  metadataNotice: {
    subject: (organization) => `Metadata were uploaded for single sign-on of ${organization}`,
    told: (organization, connection) =>
      `An administrator has uploaded the metadata of an identity provider for single sign-on of ${organization}, connection ${connection}.`,
    inUse: 'They are in use: this identity provider decides who signs in.',
    waits:
      'Nothing has changed for anybody who signs in: others are in use, until the people who invited you put these in their place.',
    unexpected:
      'If none of you has done this, tell the people who invited you at once: whoever uploads metadata may sign in as anybody.',
  },
  clientNotice: {
    subject: (organization) => `A client was entered for single sign-on of ${organization}`,
    told: (organization, connection) =>
      `An administrator has entered the client of an OpenID provider for single sign-on of ${organization}, connection ${connection}.`,
    inUse: 'It is in use: this provider decides who signs in.',
    waits:
      'Nothing has changed for anybody who signs in: another one is in use, until the people who invited you put this one in its place.',
    unexpected:
      'If none of you has done this, tell the people who invited you at once: whoever chooses the provider may sign in as anybody.',
  },
  impersonation: {
    subject: (organization) => `A member of staff has used your account at ${organization}`,
    told: (organization, moment, minutes) =>
      `On ${moment} a member of staff signed in to your account at ${organization}, for ${minutes === 1 ? 'one minute' : `${minutes} minutes`} at the most.`,
    allowed:
      'Your password and your own sessions stay as they are. What was done is recorded with their name.',
    unexpected: (organization) =>
      `If you did not expect this, ask the people who run ${organization}: they can find out why, and can refuse it from now on.`,
  },
  sandbox: 'Test message: this comes from a sandbox, not from the real service.',
  sentBy: (product, organization) => `Sent by ${product} for ${organization}`,
}

const fr: MailTexts = {
  links: {
    sign_in: {
      subject: (organization) => `Se connecter à ${organization}`,
      invitation: (organization) => `Utilisez ce lien pour vous connecter à ${organization}\u00a0:`,
      button: 'Se connecter',
      lifetime: (minutes) =>
        `Le lien fonctionne une seule fois, pendant ${minutes === 1 ? 'une minute' : `${minutes} minutes`}. Ne le partagez pas\u00a0: quiconque l’ouvre se connecte à votre place.`,
      unexpected:
        'Si vous n’avez rien demandé, ignorez ce message. Personne ne peut se connecter sans le lien, et rien n’a changé.',
    },
    password: {
      subject: (organization) => `Choisir un mot de passe pour ${organization}`,
      invitation: (organization) =>
        `Utilisez ce lien pour choisir un nouveau mot de passe pour ${organization}\u00a0:`,
      button: 'Choisir un mot de passe',
      lifetime: (minutes) =>
        `Le lien fonctionne une seule fois, pendant ${minutes === 1 ? 'une minute' : `${minutes} minutes`}. Ne le partagez pas\u00a0: quiconque l’ouvre choisit votre mot de passe.`,
      unexpected:
        'Si vous n’avez rien demandé, ignorez ce message. Votre mot de passe reste le même, et personne ne peut le changer sans le lien.',
    },
  },
  adminInvitation: {
    subject: (organization) => `Configurer l’authentification unique pour ${organization}`,
    invitation: (organization, service) =>
      `L’équipe qui gère ${service} vous demande d’y relier le fournisseur d’identité qu’utilise ${organization}, afin que tous s’y connectent avec le compte qu’ils ont déjà. Utilisez ce lien pour commencer, ou pour reprendre où vous en étiez\u00a0:`,
    button: 'Configurer l’authentification unique',
    lifetime: (days) =>
      `Le lien fonctionne pendant ${days === 1 ? 'un jour' : `${days} jours`}, aussi souvent que nécessaire. Ne le partagez pas. Dans un nouveau navigateur, nous vous envoyons aussi un code.`,
    unexpected:
      'Si ce n’est pas de votre ressort, ouvrez le lien, saisissez le code et dites-le. Si cela ne vous dit rien, ignorez ce message\u00a0: rien n’a changé.',
  },
  plainLink: 'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:',
  notices: {
    password_set: {
      subject: (organization) => `Votre mot de passe pour ${organization} a été défini`,
      told: (organization) =>
        `Un mot de passe a été défini pour votre compte chez ${organization}. S’il y en avait un auparavant, il ne fonctionne plus.`,
    },
    recovery_code_used: {
      subject: (organization) => `Un code de secours a servi à se connecter à ${organization}`,
      told: (organization) =>
        `Un de vos codes de secours pour ${organization} a remplacé un code de votre téléphone. Il ne peut plus servir.`,
    },
    totp_enrolled: {
      subject: (organization) => `Un second facteur a été configuré chez ${organization}`,
      told: (organization) =>
        `Un second facteur a été configuré pour votre compte chez ${organization}. Désormais, un code est demandé à la connexion.`,
    },
    totp_enrollment_forced: {
      subject: (organization) => `Un nouveau second facteur a été demandé chez ${organization}`,
      told: (organization) =>
        `Quelqu’un a commencé à configurer un nouveau second facteur pour votre compte chez ${organization}. L’actuel fonctionne jusqu’à ce que le nouveau soit confirmé.`,
    },
  },
  unexpectedNotice: (organization) =>
    `Si ce n’était pas vous, prévenez tout de suite les responsables de ${organization}\u00a0: quelqu’un d’autre utilise peut-être votre compte.`,
  adminCode: {
    subject: (organization) => `Votre code pour configurer l’authentification unique pour ${organization}`,
    instruction: (organization) =>
      `Vous avez ouvert l’invitation à configurer l’authentification unique pour ${organization}. Saisissez-y ce code\u00a0:`,
    lifetime: (minutes) =>
      `Il fonctionne pendant ${minutes === 1 ? 'une minute' : `${minutes} minutes`}, dans le navigateur qui l’a demandé. Ne le communiquez à personne.`,
    unexpected:
      'Si vous n’avez pas ouvert l’invitation, quelqu’un d’autre détient le lien. Personne n’entre sans ce code\u00a0; demandez une nouvelle invitation aux personnes qui vous ont invité.',
  },
  metadataNotice: {
    subject: (organization) =>
      `Des métadonnées ont été déposées pour l’authentification unique pour ${organization}`,
    told: (organization, connection) =>
      `Un administrateur a déposé les métadonnées d’un fournisseur d’identité pour l’authentification unique pour ${organization}, connexion ${connection}.`,
    inUse: 'Elles sont utilisées\u00a0: ce fournisseur d’identité décide qui se connecte.',
    waits:
      'Rien n’a changé pour ceux qui se connectent\u00a0: d’autres sont utilisées, jusqu’à ce que les personnes qui vous ont invité les remplacent par celles-ci.',
    unexpected:
      'Si aucun de vous ne l’a fait, prévenez tout de suite les personnes qui vous ont invité\u00a0: quiconque dépose des métadonnées peut se connecter au nom de n’importe qui.',
  },
  clientNotice: {
    subject: (organization) => `Un client a été saisi pour l’authentification unique pour ${organization}`,
    told: (organization, connection) =>
      `Un administrateur a saisi le client d’un fournisseur OpenID pour l’authentification unique pour ${organization}, connexion ${connection}.`,
    inUse: 'Il est utilisé\u00a0: ce fournisseur décide qui se connecte.',
    waits:
      'Rien n’a changé pour ceux qui se connectent\u00a0: un autre est utilisé, jusqu’à ce que les personnes qui vous ont invité le remplacent par celui-ci.',
    unexpected:
      'Si aucun de vous ne l’a fait, prévenez tout de suite les personnes qui vous ont invité\u00a0: quiconque choisit le fournisseur peut se connecter au nom de n’importe qui.',
  },
  impersonation: {
    subject: (organization) => `Un membre de l’assistance a utilisé votre compte chez ${organization}`,
    told: (organization, moment, minutes) =>
      `Un membre de l’assistance s’est connecté à votre compte chez ${organization} (${moment}), pour ${minutes === 1 ? 'une minute' : `${minutes} minutes`} au plus.`,
    allowed:
      'Votre mot de passe et vos propres sessions restent inchangés. Ce qui a été fait est consigné à son nom.',
    unexpected: (organization) =>
      `Si vous ne vous y attendiez pas, adressez-vous aux responsables de ${organization}\u00a0: ils peuvent savoir pourquoi, et le refuser à l’avenir.`,
  },
  sandbox: 'Message de test\u00a0: il provient d’un bac à sable, pas du service réel.',
  sentBy: (product, organization) => `Envoyé par ${product} pour ${organization}`,
}

/** The languages of mails, by the first part of a BCP 47 tag. */
export const mailTexts = { en, fr } satisfies Record<string, MailTexts>

export type MailLanguage = keyof typeof mailTexts

/** The language of a mail: the recipient's if it has texts, else English. */
export function mailLanguageOf(locale: string | null): MailLanguage {
  const language = locale?.split(/[-_]/)[0]?.toLowerCase()
  return language === 'fr' ? 'fr' : 'en'
}
