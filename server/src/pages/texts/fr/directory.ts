import type { DirectoryTexts } from '../en/directory.js'

export const directory: DirectoryTexts = {
  directory: {
    heading: 'Synchronisation d’annuaire',
    sentence: (provider) =>
      `${provider} synchronise vos utilisateurs\u00a0: un nouveau collègue a immédiatement un compte, et celui qui part est immédiatement déconnecté.`,
    link: 'Configurer la synchronisation d’annuaire',
    listSentence: 'Votre fournisseur synchronise vos utilisateurs et vos groupes.',
    inactive:
      'Elle est désactivée\u00a0: toutes les requêtes de votre fournisseur sont refusées. Les personnes qui vous ont invité peuvent l’activer.',
    secret: 'Secret',
    secretHint:
      'Votre fournisseur s’authentifie avec ce secret. Il n’est affiché qu’une fois\u00a0: créez-le quand vous êtes devant le champ de votre console qui le demande.',
    present: (hint) => `Le secret actuel se termine par ${hint}.`,
    previous: (wait) => `Le précédent cesse de fonctionner ${wait}.`,
    makeSentence:
      'Quand vous créez un nouveau secret, l’actuel fonctionne encore 24 heures, afin que rien ne s’arrête pendant que vous saisissez le nouveau.',
    makeAgain: 'Si vous en créez un autre maintenant, le précédent cesse immédiatement de fonctionner.',
    make: 'Créer un nouveau secret',
    made: 'Votre nouveau secret',
    madeSentence:
      'Copiez-le maintenant\u00a0: il ne sera plus affiché. Le précédent fonctionne encore 24 heures.',
    steps: 'Étapes dans la console de votre fournisseur',
    more: 'Davantage sur vos utilisateurs',
    moreSentence:
      'Si l’application doit connaître les fonctions ou les services, reliez aussi ces attributs dans votre console. Ceux qui y sont déjà reliés ne demandent rien de plus.',
    used: 'Attributs envoyés par votre fournisseur',
    usedSentence: 'Les noms de tous les attributs de ses dernières requêtes sur des utilisateurs.',
    isUsed: 'Transmis à l’application',
    requests: 'Requêtes récentes de votre fournisseur',
    requestsSentence: 'Sur les sept derniers jours, les plus récentes d’abord.',
    noRequests: 'Aucune pour l’instant. Testez la connexion dans votre console, puis actualisez cette page.',
    again: 'Actualiser',
    outcomes: { done: 'Fait', refused: 'Refusée', failed: 'Échouée' },
    reasons: {
      invalid: 'Un élément de la requête manque ou n’est pas valide.',
      unproven: 'Le secret manque, est incorrect ou a expiré.',
      forbidden:
        'La synchronisation est désactivée, ou cet utilisateur n’est pas géré par votre fournisseur.',
      missing: 'Aucun utilisateur ni groupe n’a cet identifiant, ou cette adresse n’existe pas.',
      taken: 'Un autre utilisateur ou un autre groupe a déjà cette adresse ou ce nom.',
      outdated: 'La fiche a changé depuis que votre fournisseur l’a lue.',
      large: 'La requête est trop volumineuse.',
      often: 'Trop de requêtes à la fois. Votre fournisseur réessaiera automatiquement.',
      failed: 'Le problème vient de notre côté. Votre fournisseur réessaiera automatiquement.',
    },
    told: 'Réponse à votre fournisseur\u00a0:',
  },
  noSuchDirectory: {
    heading: 'Annuaire introuvable',
    sentence: 'Votre invitation ne concerne aucun annuaire à cette adresse, ou il a été supprimé.',
    advice:
      'Demandez aux personnes qui vous ont invité de le créer, et ouvrez à nouveau le lien de votre e-mail d’invitation.',
  },
}
