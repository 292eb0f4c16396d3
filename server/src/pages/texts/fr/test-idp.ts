import type { TestIdpTexts } from '../en/test-idp.js'

export const testIdp: TestIdpTexts = {
  testIdp: {
    heading: 'Fournisseur d’identité de test',
    sentence:
      'Il ne demande aucun mot de passe et se porte garant de la personne que vous nommez. Il n’existe que dans le bac à sable.',
    label: 'Ou toute autre adresse e-mail',
    invalidEmail: 'Ce n’est pas une adresse e-mail. Saisissez-en une comme ada@example.com.',
    button: 'Se connecter',
    users: 'Quelqu’un d’inventé',
    fault: 'Comment est sa réponse',
    faults: {
      none: 'Correcte',
      encrypted: 'Correcte et chiffrée',
      wrong_audience: 'Pour un autre service (mauvaise audience)',
      expired: 'Expirée',
      unsigned: 'Non signée',
      replayed: 'La même assertion à chaque fois (rejouée dès la deuxième fois)',
      wrapped: 'Pour quelqu’un d’autre, autour d’une signature à elle (enveloppée)',
    },
    answer: {
      heading: 'Le fournisseur d’identité de test répond',
      sentence: 'Vous êtes ramené au service.',
      button: 'Continuer',
    },
  },
  noTestIdp: {
    heading: 'Il n’y a pas de fournisseur d’identité de test ici',
    sentence:
      'Il existe dans le bac à sable, pour les connexions du type de fournisseur test, et ne répond qu’aux demandes en cours.',
    advice: 'Retournez à l’application et connectez-vous depuis là.',
  },
}
