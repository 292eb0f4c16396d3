import type { TestIdpTexts } from '../en/test-idp.js'

export const testIdp: TestIdpTexts = {
  testIdp: {
    heading: 'Fournisseur d’identité de test',
    sentence:
      'Il connecte l’utilisateur que vous indiquez, sans mot de passe. Il n’est disponible que dans le bac à sable.',
    label: 'Ou une autre adresse e-mail',
    invalidEmail: 'Saisissez une adresse e-mail valide, par exemple ada@example.com.',
    button: 'Se connecter',
    users: 'Utilisateur à connecter',
    fault: 'Réponse à envoyer',
    faults: {
      none: 'Correcte',
      encrypted: 'Correcte et chiffrée',
      wrong_audience: 'Incorrecte\u00a0: pour un autre service (audience)',
      expired: 'Incorrecte\u00a0: expirée',
      unsigned: 'Incorrecte\u00a0: non signée',
      replayed: 'Incorrecte dès la deuxième fois\u00a0: la même assertion rejouée',
      wrapped: 'Incorrecte\u00a0: le nom d’un autre utilisateur, autour d’une assertion signée (XSW)',
    },
    answer: {
      heading: 'Retour du fournisseur d’identité de test',
      sentence: 'Vous êtes redirigé vers le service.',
      button: 'Continuer',
    },
  },
  noTestIdp: {
    heading: 'Il n’y a pas de fournisseur d’identité de test ici',
    sentence:
      'Il n’est disponible que dans le bac à sable, pour les connexions du type de fournisseur test, et ne répond qu’aux demandes en cours.',
    advice: 'Retournez dans l’application et connectez-vous à nouveau.',
  },
}
