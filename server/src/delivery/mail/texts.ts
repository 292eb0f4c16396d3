import type { Notice } from '../jobs/job-names.js'
import type { LinkPurpose } from '../../platform/link-purpose.js'

/** The texts of the mails in one language. */
export interface MailTexts {
  /** By the purpose of the link. */
  readonly links: Readonly<Record<LinkPurpose, LinkTexts>>
  readonly adminInvitation: AdminInvitationTexts
  readonly invitation: InvitationTexts
  readonly joinDecision: Readonly<Record<'approved' | 'denied', JoinDecisionTexts>>
  readonly plainLink: string
  readonly notices: Readonly<Record<Notice, NoticeTexts>>
  readonly unexpectedNotice: (organization: string) => string
  readonly adminCode: AdminCodeTexts
  readonly metadataNotice: MetadataNoticeTexts
  readonly clientNotice: MetadataNoticeTexts
  readonly domainNotice: DomainNoticeTexts
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

interface JoinDecisionTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string) => string
  readonly next: (organization: string, product: string) => string
}

interface InvitationTexts {
  readonly subject: (organization: string) => string
  /** Names the inviting organization, and the product. */
  readonly invitation: (organization: string, product: string) => string
  /** The same of an invitation to the console of an account. */
  readonly ofConsole: {
    readonly subject: (account: string) => string
    /** Names who invites; null: an operator. */
    readonly invitation: (account: string, product: string, inviter: string | null) => string
  }
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

interface DomainNoticeTexts {
  readonly subject: (domain: string) => string
  readonly told: (domain: string, organization: string) => string
  readonly record: (name: string, value: string) => string
  readonly lapses: (day: string) => string
  readonly lapsed: string
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
        `This link works once and expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Do not share it: anyone who opens it can sign in as you.`,
      unexpected:
        'If you did not ask for this, you can ignore this e-mail. Nobody can sign in without the link.',
    },
    password: {
      subject: (organization) => `Set your password for ${organization}`,
      invitation: (organization) => `Use this link to choose a new password for ${organization}:`,
      button: 'Set your password',
      lifetime: (minutes) =>
        `This link works once and expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Do not share it: anyone who opens it can set your password.`,
      unexpected:
        'If you did not ask for this, you can ignore this e-mail. Your password stays the same, and nobody can change it without the link.',
    },
  },
  adminInvitation: {
    subject: (organization) => `Set up single sign-on for ${organization}`,
    invitation: (organization, service) =>
      `You have been invited to connect the identity provider of ${organization} to ${service}, so that its users sign in to ${service} with the account they already have. Use this link to start, or to continue where you left off:`,
    button: 'Set up single sign-on',
    lifetime: (days) =>
      `This link works for ${days === 1 ? 'one day' : `${days} days`}, as often as you need it. Do not share it. In a new browser we also send you a code by e-mail.`,
    unexpected:
      'If you are not responsible for this, open the link, enter the code and let us know. If you do not recognize it, you can ignore this e-mail: nothing has changed.',
  },
  invitation: {
    subject: (organization) => `${organization} has invited you`,
    invitation: (organization, product) =>
      `${organization} has invited you to ${product}. Use this link to accept the invitation:`,
    ofConsole: {
      subject: (account) => `Join the console of ${account}`,
      invitation: (account, product, inviter) =>
        `${inviter === null ? 'You have been invited' : `${inviter} has invited you`} to the console of the account ${account} on ${product}, where its staff manage organizations, users and sign-ins. Use this link to accept the invitation:`,
    },
    button: 'Accept the invitation',
    lifetime: (days) =>
      `This link works once, for ${days === 1 ? 'one day' : `${days} days`}. Do not share it.`,
    unexpected: 'If you do not know why you were invited, you can ignore this e-mail. Nothing will happen.',
  },
  joinDecision: {
    approved: {
      subject: (organization) => `You are a member of ${organization}`,
      told: (organization) => `Your request to join ${organization} was approved.`,
      next: (_, product) => `Sign in to ${product} with this e-mail address, as you did when you asked.`,
    },
    denied: {
      subject: (organization) => `Your request to join ${organization}`,
      told: (organization) => `Your request to join ${organization} was not approved.`,
      next: (organization) =>
        `If you think that this is a mistake, ask the people at ${organization} whom you know.`,
    },
  },
  plainLink: 'If the button does not work, copy this link into your browser:',
  notices: {
    password_set: {
      subject: (organization) => `Your password for ${organization} was set`,
      told: (organization) =>
        `A password was set for your account at ${organization}. Your previous password, if you had one, no longer works.`,
    },
    recovery_code_used: {
      subject: (organization) => `A recovery code was used to sign in to ${organization}`,
      told: (organization) =>
        `One of your recovery codes for ${organization} was used instead of a code from your phone. It cannot be used again.`,
    },
    totp_enrolled: {
      subject: (organization) => `Two-step verification was set up at ${organization}`,
      told: (organization) =>
        `Two-step verification was set up for your account at ${organization}. From now on, you enter a code when you sign in.`,
    },
    totp_enrollment_forced: {
      subject: (organization) => `New two-step verification was started at ${organization}`,
      told: (organization) =>
        `Someone started to set up new two-step verification for your account at ${organization}. Your current one works until the new one is confirmed.`,
    },
    totp_enrollment_removed: {
      subject: (organization) => `Two-step verification was removed at ${organization}`,
      told: (organization) =>
        `Two-step verification was removed from your account at ${organization}. Codes from your phone and your recovery codes no longer work, and you were signed out everywhere.`,
    },
  },
  unexpectedNotice: (organization) =>
    `If this was not you, contact your administrator at ${organization} immediately: someone else may be using your account.`,
  adminCode: {
    subject: (organization) => `Your code to set up single sign-on for ${organization}`,
    instruction: (organization) =>
      `You opened the invitation to set up single sign-on for ${organization}. Enter this code there:`,
    lifetime: (minutes) =>
      `It expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`} and works only in the browser that asked for it. Do not share it with anyone.`,
    unexpected:
      'If you did not open the invitation, someone else has the link. Nobody can get in without this code. Ask the people who invited you for a new invitation.',
  },
  metadataNotice: {
    subject: (organization) => `Metadata was uploaded for single sign-on of ${organization}`,
    told: (organization, connection) =>
      `An administrator uploaded the metadata of an identity provider for single sign-on of ${organization}, connection ${connection}.`,
    inUse: 'It is in use: this identity provider now decides who can sign in.',
    waits:
      'Nothing has changed for your users yet: the previous metadata stays in use until the people who invited you activate the new one.',
    unexpected:
      'If none of you did this, contact the people who invited you immediately: anyone who can upload metadata can sign in as any user.',
  },
  clientNotice: {
    subject: (organization) => `A client was entered for single sign-on of ${organization}`,
    told: (organization, connection) =>
      `An administrator entered the client of an OpenID provider for single sign-on of ${organization}, connection ${connection}.`,
    inUse: 'It is in use: this provider now decides who can sign in.',
    waits:
      'Nothing has changed for your users yet: the previous client stays in use until the people who invited you activate the new one.',
    unexpected:
      'If none of you did this, contact the people who invited you immediately: anyone who can choose the provider can sign in as any user.',
  },
  domainNotice: {
    subject: (domain) => `The DNS record of ${domain} is missing`,
    told: (domain, organization) =>
      `We can no longer find the DNS record that proves that ${domain} belongs to ${organization}.`,
    record: (name, value) => `Add this TXT record again. Name: ${name}, value: ${value}`,
    lapses: (day) =>
      `Nothing changes until ${day}. If the record is still missing then, we no longer trust addresses at this domain that come from single sign-on or directory sync. Users who have signed in before can still sign in.`,
    lapsed:
      'Until the record is back, we do not trust addresses at this domain that come from single sign-on or directory sync. Users who have signed in before can still sign in; new users may be refused.',
  },
  impersonation: {
    subject: (organization) => `A member of our staff used your account at ${organization}`,
    told: (organization, moment, minutes) =>
      `On ${moment}, a member of our staff signed in to your account at ${organization} for at most ${minutes === 1 ? 'one minute' : `${minutes} minutes`}.`,
    allowed:
      'Your password and your own sessions are not affected. All actions were recorded under their name.',
    unexpected: (organization) =>
      `If you did not expect this, contact your administrator at ${organization}: they can find out why, and can prevent it in the future.`,
  },
  sandbox: 'Test message from a sandbox, not from the real service.',
  sentBy: (product, organization) => `Sent by ${product} for ${organization}`,
}

const fr: MailTexts = {
  links: {
    sign_in: {
      subject: (organization) => `Se connecter à ${organization}`,
      invitation: (organization) => `Utilisez ce lien pour vous connecter à ${organization}\u00a0:`,
      button: 'Se connecter',
      lifetime: (minutes) =>
        `Ce lien ne fonctionne qu’une fois et expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`}. Ne le partagez pas\u00a0: quiconque l’ouvre peut se connecter à votre place.`,
      unexpected:
        'Si vous n’avez rien demandé, ignorez cet e-mail. Personne ne peut se connecter sans le lien.',
    },
    password: {
      subject: (organization) => `Choisissez votre mot de passe pour ${organization}`,
      invitation: (organization) =>
        `Utilisez ce lien pour choisir un nouveau mot de passe pour ${organization}\u00a0:`,
      button: 'Choisir mon mot de passe',
      lifetime: (minutes) =>
        `Ce lien ne fonctionne qu’une fois et expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`}. Ne le partagez pas\u00a0: quiconque l’ouvre peut choisir votre mot de passe.`,
      unexpected:
        'Si vous n’avez rien demandé, ignorez cet e-mail. Votre mot de passe reste le même, et personne ne peut le changer sans le lien.',
    },
  },
  adminInvitation: {
    subject: (organization) => `Configurer l’authentification unique pour ${organization}`,
    invitation: (organization, service) =>
      `Vous êtes invité à relier le fournisseur d’identité de ${organization} à ${service}, afin que ses utilisateurs s’y connectent avec le compte qu’ils ont déjà. Utilisez ce lien pour commencer, ou pour reprendre là où vous en étiez\u00a0:`,
    button: 'Configurer l’authentification unique',
    lifetime: (days) =>
      `Ce lien fonctionne pendant ${days === 1 ? 'un jour' : `${days} jours`}, autant de fois que nécessaire. Ne le partagez pas. Dans un nouveau navigateur, nous vous envoyons aussi un code par e-mail.`,
    unexpected:
      'Si ce n’est pas de votre ressort, ouvrez le lien, saisissez le code et signalez-le-nous. Si cette invitation ne vous dit rien, ignorez cet e-mail\u00a0: rien n’a changé.',
  },
  invitation: {
    subject: (organization) => `${organization} vous a invité`,
    invitation: (organization, product) =>
      `${organization} vous a invité à utiliser ${product}. Utilisez ce lien pour accepter l’invitation\u00a0:`,
    ofConsole: {
      subject: (account) => `Rejoindre la console du compte ${account}`,
      invitation: (account, product, inviter) =>
        `${inviter === null ? 'Vous êtes invité' : `${inviter} vous invite`} à rejoindre la console du compte ${account} sur ${product}, où son équipe gère les organisations, les utilisateurs et les connexions. Utilisez ce lien pour accepter l’invitation\u00a0:`,
    },
    button: 'Accepter l’invitation',
    lifetime: (days) =>
      `Ce lien fonctionne une seule fois, pendant ${days === 1 ? 'un jour' : `${days} jours`}. Ne le partagez pas.`,
    unexpected:
      'Si vous ne savez pas pourquoi vous avez été invité, ignorez cet e-mail. Il ne se passera rien.',
  },
  joinDecision: {
    approved: {
      subject: (organization) => `Vous êtes membre de ${organization}`,
      told: (organization) => `Votre demande pour rejoindre ${organization} a été acceptée.`,
      next: (_, product) =>
        `Connectez-vous à ${product} avec cette adresse e-mail, comme lors de votre demande.`,
    },
    denied: {
      subject: (organization) => `Votre demande pour rejoindre ${organization}`,
      told: (organization) => `Votre demande pour rejoindre ${organization} n’a pas été acceptée.`,
      next: (organization) =>
        `Si vous pensez qu’il s’agit d’une erreur, adressez-vous à une personne que vous connaissez chez ${organization}.`,
    },
  },
  plainLink: 'Si le bouton ne fonctionne pas, copiez ce lien dans votre navigateur\u00a0:',
  notices: {
    password_set: {
      subject: (organization) => `Votre mot de passe pour ${organization} a été défini`,
      told: (organization) =>
        `Un mot de passe a été défini pour votre compte chez ${organization}. L’ancien, s’il y en avait un, ne fonctionne plus.`,
    },
    recovery_code_used: {
      subject: (organization) => `Un code de secours a servi à se connecter à ${organization}`,
      told: (organization) =>
        `Un de vos codes de secours pour ${organization} a été utilisé à la place d’un code de votre téléphone. Il ne peut plus servir.`,
    },
    totp_enrolled: {
      subject: (organization) => `La validation en deux étapes a été configurée chez ${organization}`,
      told: (organization) =>
        `La validation en deux étapes a été configurée pour votre compte chez ${organization}. Désormais, un code vous est demandé à la connexion.`,
    },
    totp_enrollment_forced: {
      subject: (organization) =>
        `Une nouvelle validation en deux étapes a été commencée chez ${organization}`,
      told: (organization) =>
        `Quelqu’un a commencé à configurer une nouvelle validation en deux étapes pour votre compte chez ${organization}. L’actuelle fonctionne jusqu’à ce que la nouvelle soit confirmée.`,
    },
    totp_enrollment_removed: {
      subject: (organization) => `La validation en deux étapes a été supprimée chez ${organization}`,
      told: (organization) =>
        `La validation en deux étapes a été supprimée de votre compte chez ${organization}. Les codes de votre téléphone et vos codes de secours ne fonctionnent plus, et vous avez été déconnecté partout.`,
    },
  },
  unexpectedNotice: (organization) =>
    `Si ce n’était pas vous, contactez immédiatement votre administrateur chez ${organization}\u00a0: quelqu’un d’autre utilise peut-être votre compte.`,
  adminCode: {
    subject: (organization) => `Votre code pour configurer l’authentification unique pour ${organization}`,
    instruction: (organization) =>
      `Vous avez ouvert l’invitation à configurer l’authentification unique pour ${organization}. Saisissez-y ce code\u00a0:`,
    lifetime: (minutes) =>
      `Il expire dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`} et ne fonctionne que dans le navigateur qui l’a demandé. Ne le communiquez à personne.`,
    unexpected:
      'Si vous n’avez pas ouvert l’invitation, quelqu’un d’autre détient le lien. Personne ne peut entrer sans ce code. Demandez une nouvelle invitation aux personnes qui vous ont invité.',
  },
  metadataNotice: {
    subject: (organization) =>
      `Des métadonnées ont été déposées pour l’authentification unique de ${organization}`,
    told: (organization, connection) =>
      `Un administrateur a déposé les métadonnées d’un fournisseur d’identité pour l’authentification unique de ${organization}, connexion ${connection}.`,
    inUse: 'Elles sont actives\u00a0: ce fournisseur d’identité décide désormais qui peut se connecter.',
    waits:
      'Rien n’a encore changé pour vos utilisateurs\u00a0: les métadonnées précédentes restent actives jusqu’à ce que les personnes qui vous ont invité activent les nouvelles.',
    unexpected:
      'Si aucun de vous ne l’a fait, contactez immédiatement les personnes qui vous ont invité\u00a0: quiconque peut déposer des métadonnées peut se connecter à la place de n’importe quel utilisateur.',
  },
  clientNotice: {
    subject: (organization) => `Un client a été saisi pour l’authentification unique de ${organization}`,
    told: (organization, connection) =>
      `Un administrateur a saisi le client d’un fournisseur OpenID pour l’authentification unique de ${organization}, connexion ${connection}.`,
    inUse: 'Il est actif\u00a0: ce fournisseur décide désormais qui peut se connecter.',
    waits:
      'Rien n’a encore changé pour vos utilisateurs\u00a0: le client précédent reste actif jusqu’à ce que les personnes qui vous ont invité activent le nouveau.',
    unexpected:
      'Si aucun de vous ne l’a fait, contactez immédiatement les personnes qui vous ont invité\u00a0: quiconque peut choisir le fournisseur peut se connecter à la place de n’importe quel utilisateur.',
  },
  domainNotice: {
    subject: (domain) => `L’enregistrement DNS de ${domain} est introuvable`,
    told: (domain, organization) =>
      `Nous ne trouvons plus l’enregistrement DNS qui prouve que ${domain} appartient à ${organization}.`,
    record: (name, value) =>
      `Ajoutez à nouveau cet enregistrement TXT. Nom\u00a0: ${name}, valeur\u00a0: ${value}`,
    lapses: (day) =>
      `Rien ne change jusqu’au ${day}. Si l’enregistrement manque encore à cette date, nous ne ferons plus confiance aux adresses de ce domaine transmises par l’authentification unique ou la synchronisation d’annuaire. Les utilisateurs qui se sont déjà connectés pourront toujours se connecter.`,
    lapsed:
      'Tant que l’enregistrement manque, nous ne faisons pas confiance aux adresses de ce domaine transmises par l’authentification unique ou la synchronisation d’annuaire. Les utilisateurs qui se sont déjà connectés peuvent toujours se connecter\u00a0; les nouveaux peuvent être refusés.',
  },
  impersonation: {
    subject: (organization) => `Un membre de notre assistance a utilisé votre compte chez ${organization}`,
    told: (organization, moment, minutes) =>
      `Le ${moment}, un membre de notre assistance s’est connecté à votre compte chez ${organization}, pour ${minutes === 1 ? 'une minute' : `${minutes} minutes`} au plus.`,
    allowed:
      'Votre mot de passe et vos propres sessions restent inchangés. Toutes ses actions sont consignées à son nom.',
    unexpected: (organization) =>
      `Si vous ne vous y attendiez pas, contactez votre administrateur chez ${organization}\u00a0: il peut en connaître la raison et empêcher que cela se reproduise.`,
  },
  sandbox: 'Message de test provenant d’un bac à sable, et non du service réel.',
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
