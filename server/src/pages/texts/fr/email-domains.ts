import type { EmailDomainsTexts } from '../en/email-domains.js'

export const emailDomains: EmailDomainsTexts = {
  emailDomains: {
    heading: 'Vos domaines',
    sentence:
      'Prouvez que les domaines de vos adresses e-mail vous appartiennent. Alors seulement, votre fournisseur d’identité et votre annuaire peuvent se porter garants de ces adresses.',
    link: 'Prouver vos domaines',
    listSentence: 'Les domaines de vos adresses e-mail, et la preuve qu’ils vous appartiennent.',
    none: 'Aucun domaine pour l’instant. Ajoutez ci-dessous celui de vos adresses e-mail.',
    add: 'Ajouter un domaine',
    domain: 'Domaine',
    domainHint: 'La partie de vos adresses e-mail après le @, par exemple',
    addButton: 'Ajouter le domaine',
    states: {
      pending: 'En attente de l’enregistrement',
      verified: 'Vérifié',
      lapsing: 'Enregistrement absent',
      lapsed: 'Déchu',
      expired: 'Expiré',
      declared: 'Confirmé',
    },
    meanings: {
      pending: (day) =>
        `Ajoutez l’enregistrement ci-dessous, et nous le trouverons\u00a0: nous le cherchons d’abord toutes les quelques minutes, puis chaque heure, puis chaque jour, jusqu’au ${day}. D’ici là, le domaine ne compte pas.`,
      verified: () =>
        'Le domaine est prouvé. Laissez l’enregistrement en place\u00a0: nous le cherchons une fois par semaine.',
      lapsing: (day) =>
        `L’enregistrement était là, et il est absent maintenant. Remettez-le avant le ${day}\u00a0: à partir de cette date, le domaine ne compte plus.`,
      lapsed: () =>
        'L’enregistrement est absent depuis trop longtemps, et le domaine ne compte plus. Remettez-le, et le domaine sera de nouveau vérifié.',
      expired: () =>
        'L’enregistrement n’a pas été trouvé en 30 jours, et sa valeur n’est plus valable. Demandez-en un nouveau, et ajoutez-le.',
      declared: () =>
        'Les personnes qui vous ont invité ont confirmé que ce domaine vous appartient. Aucun enregistrement n’est nécessaire\u00a0; avec lui, le domaine est vérifié.',
    },
    results: {
      matched: 'L’enregistrement a été trouvé.',
      not_matched: 'Il y a un enregistrement de ce nom, mais avec une autre valeur.',
      no_record:
        'Il n’y a pas encore d’enregistrement de ce nom. Un nouveau peut mettre une heure à devenir visible.',
      no_answer:
        'Les serveurs de noms du domaine n’ont pas répondu. Cela ne prouve rien, et ne met fin à rien.',
    },
    checked: (ago) => `Dernière vérification\u00a0: ${ago}.`,
    record: 'L’enregistrement',
    recordSentence:
      'Ajoutez cet enregistrement TXT là où est géré le DNS du domaine, et laissez-le en place\u00a0:',
    recordName: 'Nom de l’enregistrement TXT',
    recordValue: 'Valeur de l’enregistrement TXT',
    recordHint:
      'Certaines consoles ajoutent elles-mêmes le domaine au nom\u00a0: n’y saisissez que la partie qui le précède.',
    check: 'Vérifier maintenant',
    renew: 'Obtenir un nouvel enregistrement',
    use: (connection) => `L’utiliser pour ${connection}`,
    useSentence:
      'Les utilisateurs dont l’adresse est de ce domaine se connecteront par cette connexion, qui s’en porte alors garante. De nouveaux utilisateurs d’autres domaines peuvent être refusés.',
    usedBy: (connections) => `Utilisé par ${connections}.`,
    notProved:
      'Rien n’a été modifié\u00a0: seul un domaine vérifié ou confirmé peut être utilisé, et par une seule connexion.',
    tooSoon: (wait) => `La vérification vient d’avoir lieu. Réessayez ${wait}.`,
    changed:
      'Quelque chose a changé depuis l’affichage de cette page. Vérifiez ci-dessous, et recommencez si besoin.',
    faults: {
      missing: 'Saisissez un domaine.',
      invalid: 'Ce n’est pas un domaine. Un domaine ressemble à example.com.',
      address: 'Saisissez seulement le domaine, sans ce qui précède le @, et sans https://.',
      single_label: 'Le domaine doit contenir un point, comme dans example.com.',
      public_suffix:
        'N’importe qui peut avoir un domaine sous celui-ci\u00a0: il ne peut pas être à vous seul.',
      public_mail:
        'N’importe qui peut avoir une adresse chez ce fournisseur de messagerie\u00a0: il ne peut pas être à vous seul.',
      reserved: 'Aucun DNS public n’a ce domaine\u00a0: aucun enregistrement ne peut le prouver.',
      taken: 'Vous avez déjà ce domaine\u00a0: il figure ci-dessus.',
      exhausted:
        'Vous avez autant de domaines que possible. Demandez aux personnes qui vous ont invité d’en retirer.',
    },
  },
  noSuchDomains: {
    heading: 'Domaines introuvables',
    sentence: 'Votre invitation ne concerne pas les domaines à cette adresse.',
    advice: 'Ouvrez à nouveau le lien de votre e-mail d’invitation.',
  },
}
