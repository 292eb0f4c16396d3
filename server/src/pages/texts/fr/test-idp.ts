import type { TestIdpTexts } from '../en/test-idp.js'

export const testIdp: TestIdpTexts = {
  testIdp: {
    heading: 'Fournisseur d’identité de test',
    sentence:
      'Il ne demande aucun mot de passe et se porte garant de la personne que vous nommez. Il n’existe que dans le bac à sable.',
    label: 'Ou une autre adresse e-mail',
    invalidEmail: 'Ce n’est pas une adresse e-mail. Saisissez-en une comme ada@example.com.',
    button: 'Se connecter',
    users: 'Qui se connecte',
    fault: 'La réponse à envoyer',
    faults: {
      none: 'Correcte',
      encrypted: 'Correcte et chiffrée',
      wrong_audience: 'Incorrecte\u00a0: pour un autre service (audience)',
      expired: 'Incorrecte\u00a0: expirée',
      unsigned: 'Incorrecte\u00a0: non signée',
      replayed: 'Incorrecte dès la deuxième fois\u00a0: la même assertion rejouée',
      wrapped: 'Incorrecte\u00a0: un autre nom, enveloppé autour d’une assertion signée',
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
    advice: 'Retournez à l’application et connectez-vous à partir de là.',
  },
}
