import { attributes, copy, settings, text, warn, words } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const customScim: DirectoryTutorial = {
  id: 'custom_scim',
  name: 'SCIM 2.0',
  mark: 'S2',
  minutes: 15,
  checkedOn: null,
  steps: [
    {
      id: 'connect',
      title: words('Connect your provider to us', 'Relier votre fournisseur à nous'),
      blocks: [
        copy('SCIM base URL', 'scim_base_url'),
        settings(
          ['SCIM', '2.0 (RFC 7643, RFC 7644)'],
          ['Authorization', 'Bearer'],
          ['Content-Type', 'application/scim+json'],
        ),
        text(
          'The secret from this page is the bearer token of every request. **/ServiceProviderConfig**, **/ResourceTypes** and **/Schemas** describe what is supported.',
          'Le secret de cette page est le jeton bearer de chaque requête. **/ServiceProviderConfig**, **/ResourceTypes** et **/Schemas** décrivent ce qui est pris en charge.',
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('Send your users', 'Envoyer vos utilisateurs'),
      blocks: [
        attributes(
          ['userName', '—'],
          ['externalId', '—'],
          ['emails[primary eq true].value', '—'],
          ['name.givenName, name.familyName', '—'],
          ['active', 'true / false'],
        ),
        text(
          'If there are several addresses, we use the primary one, otherwise the one of type work, otherwise the first. Without any address, we use the user name if it is an e-mail address.',
          'S’il y a plusieurs adresses, nous utilisons la principale, sinon celle du type work, sinon la première. En l’absence d’adresse, nous utilisons le nom d’utilisateur si c’est une adresse e-mail.',
        ),
        warn(
          '**externalId** is your own ID of a user. In requests, use the **id** from our response.',
          '**externalId** est votre propre identifiant de l’utilisateur. Dans les requêtes, utilisez l’**id** de notre réponse.',
        ),
      ],
    },
    {
      id: 'changes',
      title: words('Send changes', 'Envoyer les modifications'),
      blocks: [
        text(
          'Send changes with PATCH or PUT. Set **active** to false for users who leave: this signs them out immediately. DELETE removes them.',
          'Envoyez les modifications avec PATCH ou PUT. Mettez **active** à false pour un utilisateur qui part\u00a0: cela le déconnecte immédiatement. DELETE le supprime.',
        ),
        text(
          'Limits: 100 operations in a PATCH, 2 MB in a body, 25 requests per second; beyond that rate, the response is 429 with **Retry-After**.',
          'Limites\u00a0: 100 opérations par PATCH, 2 Mo par corps, 25 requêtes par seconde\u00a0; au-delà de ce débit, la réponse est 429 avec **Retry-After**.',
        ),
      ],
    },
  ],
  quirks: [],
}
