import type { DirectoryTexts } from '../en/directory.js'

export const directory: DirectoryTexts = {
  directory: {
    heading: 'Synchronisation d’annuaire',
    sentence: (provider) =>
      `${provider} tient ici la liste de vos collègues\u00a0: qui arrive a aussitôt un compte, et qui part est aussitôt déconnecté.`,
    link: 'Configurer la synchronisation d’annuaire',
    listSentence: 'Votre fournisseur tient ici la liste de vos collègues et de leurs groupes.',
    inactive:
      'Elle est désactivée\u00a0: toute requête de votre fournisseur est refusée. Les personnes qui vous ont invité peuvent l’activer.',
    secret: 'Secret',
    secretHint:
      'Votre fournisseur s’en sert pour prouver qui il est. Il n’est montré qu’une fois, à sa création\u00a0: créez-en un quand vous êtes devant le champ de votre console qui le demande.',
    present: (hint) => `Celui en service se termine par ${hint}.`,
    previous: (wait) => `Celui d’avant cesse de fonctionner ${wait}.`,
    makeSentence:
      'Celui en service fonctionne encore 24 heures, afin que rien ne s’arrête pendant que vous saisissez le nouveau.',
    makeAgain: 'Si vous en créez un autre maintenant, celui-là cesse aussitôt.',
    make: 'Créer un nouveau secret',
    made: 'Votre nouveau secret',
    madeSentence:
      'Copiez-le maintenant\u00a0: il ne sera plus montré. Celui d’avant fonctionne encore 24 heures.',
    changed:
      'Quelque chose a changé depuis l’affichage de cette page. Regardez ci-dessous, et recommencez si besoin.',
    steps: 'Que faire dans la console',
    requests: 'Ce que votre fournisseur a demandé récemment',
    requestsSentence: 'Les plus récentes d’abord, sur les sept derniers jours.',
    noRequests:
      'Rien pour l’instant. Cliquez dans votre console sur le bouton qui teste la connexion, puis regardez à nouveau.',
    again: 'Regarder à nouveau',
    outcomes: { done: 'Fait', refused: 'Refusée', failed: 'Échouée' },
    reasons: {
      invalid: 'Il manque quelque chose dans la requête, ou sa forme ne convient pas.',
      unproven: 'Le secret manque, n’est pas celui en service, ou a expiré.',
      forbidden:
        'La synchronisation est désactivée, ou votre fournisseur ne tient pas cet utilisateur à jour.',
      missing: 'Aucune personne ni aucun groupe n’a cet identifiant, ou cette adresse n’existe pas.',
      taken: 'Une autre personne ou un autre groupe a déjà cette adresse ou ce nom.',
      outdated: 'Cela a changé depuis que votre fournisseur l’a lu.',
      large: 'La requête est trop grande.',
      often: 'Trop de requêtes à la fois. Votre fournisseur recommencera de lui-même.',
      failed: 'La faute est de notre côté. Votre fournisseur recommencera de lui-même.',
    },
    told: 'Ce qui a été répondu à votre fournisseur\u00a0:',
  },
  noSuchDirectory: {
    heading: 'Il n’y a pas d’annuaire ici',
    sentence: 'Votre invitation ne concerne aucun annuaire à cette adresse, ou il a été supprimé.',
    advice:
      'Demandez aux personnes qui vous ont invité de le créer, et ouvrez à nouveau le lien de votre e-mail d’invitation.',
  },
}
