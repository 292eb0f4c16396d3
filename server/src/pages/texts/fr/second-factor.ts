import type { SecondFactorTexts } from '../en/second-factor.js'

export const secondFactor: SecondFactorTexts = {
  totp: {
    headings: {
      app: 'Saisissez votre code',
      sms: 'Saisissez le code reçu par SMS',
      recovery: 'Utilisez un code de secours',
    },
    app: 'Ouvrez votre application d’authentification et saisissez le code à 6 chiffres.',
    smsSent: (phone) => `Nous avons envoyé un SMS avec un code à 6 chiffres au ${phone}.`,
    smsUnsent: 'Nous pouvons envoyer un code à 6 chiffres par SMS à votre téléphone.',
    recovery:
      'Saisissez l’un des codes de secours que vous avez enregistrés. Chacun ne fonctionne qu’une fois.',
    label: 'Code à 6 chiffres',
    recoveryLabel: 'Code de secours',
    button: 'Continuer',
    send: 'Recevoir un code',
    sendAgain: 'Recevoir un nouveau code',
    useRecovery: 'Utiliser plutôt un code de secours',
    useCode: 'Utiliser plutôt le code du téléphone',
    lost: 'Vous avez perdu votre téléphone et vos codes de secours\u00a0? Contactez votre administrateur.',
    wrongRecovery: 'Ce code de secours est incorrect ou a déjà été utilisé.',
    faults: {
      missing: 'Saisissez le code.',
      wrong_code: 'Code incorrect. Réessayez avec le plus récent.',
      code_over: 'Ce code a expiré. Demandez-en un nouveau.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_messages: (wait) => `Nous vous avons déjà envoyé plusieurs SMS. Réessayez ${wait}.`,
      not_sent: 'Nous n’avons pas pu envoyer le SMS. Réessayez dans un instant.',
      passkey_refused:
        'Cette clé d’accès n’est pas l’une des vôtres ici, ou n’a pas pu être utilisée. Réessayez.',
    },
  },
  enroll: {
    heading: 'Configurez la validation en deux étapes',
    byApplication:
      'Cette application exige la validation en deux étapes. À chaque connexion, vous saisirez aussi un code de votre téléphone\u00a0: votre mot de passe ou votre messagerie ne suffira plus à lui seul.',
    byOrganization: (organization) =>
      `${organization} exige la validation en deux étapes. À chaque connexion, vous saisirez aussi un code de votre téléphone\u00a0: votre mot de passe ou votre messagerie ne suffira plus à lui seul.`,
    notNow: 'Plus tard',
    until: (date) => `Vous pouvez le faire plus tard, jusqu’au ${date}.`,
    app: 'Il vous faut une application d’authentification sur votre téléphone. N’importe laquelle convient.',
    sms: (phone) => `Nous envoyons les codes par SMS au ${phone}.`,
    smsUnknown: 'Nous envoyons les codes par SMS sur votre téléphone.',
    appButton: 'Configurer l’application',
    smsButton: 'Recevoir un code',
    codeHeading: 'Configurez votre application d’authentification',
    scan: 'Scannez ce code QR avec votre application d’authentification.',
    picture: 'Code QR pour votre application d’authentification',
    open: 'Ouvrir dans l’application d’authentification de ce téléphone',
    noCamera: 'Impossible de scanner le code QR\u00a0?',
    key: 'Saisissez plutôt cette clé dans l’application\u00a0:',
    enter: 'Saisissez ensuite le code affiché par l’application.',
    label: 'Code à 6 chiffres',
    button: 'Terminer',
    again: 'Recommencer avec un nouveau code QR',
    faults: {
      no_phone:
        'Votre compte n’a pas de numéro de téléphone. Demandez à votre administrateur d’en ajouter un.',
      not_now: 'Ce n’est plus possible de le faire plus tard. Configurez-la pour vous connecter.',
      over: 'Le délai est dépassé, ou trop de codes étaient incorrects. Recommencez.',
      missing: 'Saisissez le code.',
      wrong_code: 'Code incorrect. Attendez le suivant et réessayez.',
      code_over: 'Ce code a expiré. Recommencez.',
      too_many: (wait) => `Trop de tentatives. Réessayez ${wait}.`,
      too_many_messages: (wait) => `Nous vous avons déjà envoyé plusieurs SMS. Réessayez ${wait}.`,
      not_sent: 'Nous n’avons pas pu envoyer le SMS. Réessayez dans un instant.',
    },
  },
  recoveryCodes: {
    heading: 'Enregistrez vos codes de secours',
    sentences: {
      phone:
        'Si vous perdez votre téléphone, vous pourrez vous connecter avec l’un de ces codes. Chacun ne fonctionne qu’une fois.',
      passkey:
        'Si vous perdez votre clé d’accès, vous pourrez en ajouter une autre avec l’un de ces codes à la connexion. Chacun ne fonctionne qu’une fois.',
    },
    once: 'Ils ne s’affichent qu’une seule fois. Conservez-les en lieu sûr.',
    titles: {
      phone: (organization) => `Codes de secours pour ${organization}`,
      passkey: (organization) => `Codes de secours de vos clés d’accès chez ${organization}`,
    },
    list: 'Vos codes de secours',
    copy: 'Copier',
    copied: 'Copié',
    download: 'Télécharger',
    print: 'Imprimer',
    fileNames: { phone: 'codes-de-secours.txt', passkey: 'codes-de-secours-cles-d-acces.txt' },
    acknowledge: 'J’ai enregistré mes codes de secours',
    button: 'Continuer',
    goneHeading: 'Avez-vous enregistré vos codes de secours\u00a0?',
    gone: 'Ils ont été affichés une seule fois et ne peuvent plus l’être. Si vous ne les avez pas enregistrés, demandez-en de nouveaux\u00a0; les anciens cesseront de fonctionner.',
    newCodes: 'Obtenir de nouveaux codes',
    newCodesSentence: 'Les codes que vous avez maintenant ne fonctionneront plus.',
    newCodesButton: 'Remplacer mes codes de secours',
    faults: { not_acknowledged: 'Enregistrez les codes, puis cochez la case.' },
  },
}
