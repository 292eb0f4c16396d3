import type { RoleRulesTexts } from '../en/role-rules.js'

const noRoles = 'Les personnes qui vous ont invité n’ont choisi aucun rôle que vous puissiez attribuer.'

export const roleRules: RoleRulesTexts = {
  roleRules: {
    of: {
      directory: {
        heading: 'Rôles par groupe',
        sentence: 'Les membres d’un groupe reçoivent dans l’application les rôles de ses règles.',
        authoritative: 'Les personnes de votre annuaire n’ont que ces rôles\u00a0: aucun autre ne compte.',
        noRoles,
      },
      connection: {
        heading: 'Rôles par attribut',
        sentence:
          'À la connexion, chacun reçoit les rôles des règles qui correspondent à ce que votre fournisseur d’identité dit de lui.',
        authoritative: 'Ceux qui se connectent ainsi n’ont que ces rôles\u00a0: aucun autre ne compte.',
        noRoles,
      },
    },
    link: 'Attribuer des rôles',
    back: 'Retour à la connexion',
    none: 'Il n’y a pas encore de règle.',
    ofAttribute: (attribute, value) => `${attribute} vaut «\u00a0${value}\u00a0»`,
    unmatched: 'Votre fournisseur n’a envoyé aucun groupe de ce nom.',
    kept: 'Seules les personnes qui vous ont invité peuvent modifier cette règle.',
    remove: 'Supprimer',
    removeWhat: (subject) => `la règle pour ${subject}`,
    add: 'Ajouter une règle',
    addButton: 'Ajouter la règle',
    fields: { group: 'Groupe', attribute: 'Attribut', value: 'Valeur' },
    hints: {
      group: 'Le nom entier, comme dans votre annuaire. Les majuscules ne comptent pas.',
      attribute: 'Son nom, comme votre fournisseur d’identité l’envoie, par exemple groups.',
      value: 'La valeur entière. Les majuscules ne comptent pas.',
    },
    roles: 'Rôles',
    rolesHint: (most) => `Choisissez-en ${most} au plus.`,
    groups: 'Groupes envoyés par votre fournisseur',
    moreGroups: 'Il y en a d’autres. Vous pouvez saisir le nom de n’importe quel groupe.',
    faults: {
      noGroup: 'Saisissez le nom d’un groupe, de 400 caractères au plus.',
      noAttribute: 'Saisissez le nom d’un attribut, de 400 caractères au plus.',
      noValue: 'Saisissez une valeur, de 400 caractères au plus.',
      noRole: 'Choisissez un rôle.',
      manyRoles: 'Choisissez cinq rôles au plus. Pour davantage, ajoutez une autre règle.',
    },
    notices: {
      changed:
        'Quelque chose a changé depuis l’affichage de cette page. Vérifiez ci-dessous, et recommencez si besoin.',
      notAssignable: 'Rien n’a été modifié\u00a0: vous ne pouvez ni attribuer ni retirer ce rôle.',
      full: 'Rien n’a été modifié\u00a0: il n’y a plus de place pour une règle. Supprimez-en une d’abord.',
    },
  },
}
