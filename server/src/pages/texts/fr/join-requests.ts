import type { JoinRequestsTexts } from '../en/join-requests.js'

export const joinRequests: JoinRequestsTexts = {
  joinRequests: {
    heading: 'Demandes d’accès',
    sentence:
      'Ces personnes ont confirmé une adresse e-mail de l’un de vos domaines. Celles que vous acceptez ont aussitôt un compte. Dans tous les cas, elles sont prévenues par e-mail.',
    none: 'Aucune demande n’attend de décision.',
    more: (total) => `${total} personnes attendent. Les demandes les plus récentes sont affichées ici.`,
    listSentence: 'Les personnes qui ont une adresse de l’un de vos domaines et demandent un compte.',
    asked: (ago) => `Demande faite\u00a0: ${ago}.`,
    approve: 'Accepter',
    deny: 'Refuser',
    notices: {
      decided: 'Cette demande a été traitée entre-temps, ou elle a expiré.',
      notAllowed:
        'Personne n’a été accepté\u00a0: le domaine de cette adresse n’est plus vérifié, ou il n’est pas autorisé. Vos demandes restent ici.',
      ssoRequired:
        'Personne n’a été accepté\u00a0: les personnes qui ont cette adresse passent par votre fournisseur d’identité.',
      noSeat:
        'Personne n’a été accepté\u00a0: votre organisation n’a plus de place libre. Demandez-en davantage aux personnes qui vous ont invité.',
    },
    arrival: {
      heading: (organization) => `Demandes pour rejoindre ${organization}`,
      sentence:
        'Des personnes demandent un compte dans votre organisation. Consultez leurs demandes pour les accepter ou les refuser.',
    },
  },
  noSuchJoinRequests: {
    heading: 'Demandes introuvables',
    sentence: 'Votre invitation ne concerne pas les demandes à cette adresse.',
    advice: 'Ouvrez à nouveau le lien de votre e-mail d’invitation.',
  },
}
